import json
from dataclasses import replace

import cv2
import numpy as np
import pytest
import torch

from augment import move_box, random_affine, warp
from loss import assign_boxes, detection_loss, generalised_iou
from model import Detector, ExportedDetector, grid_points
from photos import Photo, load_photos, parse_labels
from clean import doubtful
from export import load_checkpoint, mean_detector
from sampler import Mixture, Sampler, paste, source_weights
from synthetic import draw_picture
from train import Views
from trunk import rename_published
from views import deal, make_pools

SIZE = 64
NO_SHIFT = np.array([[1.0, 0, 0], [0, 1, 0]])


def photo(failing, colour):
    boxes = [[10, 10, 40, 40]] if failing else []
    image = np.full((96, 128, 3), colour, np.uint8)
    return Photo("photo", "test", "group", image, np.array(boxes, np.float32).reshape(-1, 4))


def test_labels_keep_failures_and_stringing_only():
    text = "0 0.5 0.5 0.5 0.5\n1 0.25 0.25 0.5 0.5\n2 0.5 0.5 1 1\n"
    assert parse_labels(text, 100, 200).tolist() == [[25, 50, 75, 150], [0, 0, 50, 100]]


def test_photos_of_a_left_out_source_are_not_read(tmp_path):
    for folder in ("images/train", "labels/train"):
        (tmp_path / folder).mkdir(parents=True)
    manifest = []
    for source in ("open", "closed"):
        cv2.imwrite(str(tmp_path / f"images/train/{source}.jpg"), np.zeros((8, 8, 3), np.uint8))
        (tmp_path / f"labels/train/{source}.txt").write_text("")
        manifest.append({"file": f"train/{source}.jpg", "source": source, "group": source})
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    assert [p.source for p in load_photos(tmp_path, "train", without=("closed",))] == ["open"]


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        ([10, 10, 30, 30], [10, 10, 30, 30]),
        ([-10, 10, 30, 30], [0, 10, 30, 30]),
        ([-50, 10, 10, 30], None),
        ([10, 10, 14, 40], None),
    ],
)
def test_a_box_is_cut_at_the_edge_and_dropped_when_little_is_left(box, expected):
    moved = move_box(box, NO_SHIFT, SIZE)
    assert (None if moved is None else moved.tolist()) == expected


def test_a_warped_box_stays_on_what_it_marks():
    rng = np.random.default_rng(3)
    image = np.zeros((96, 128, 3), np.uint8)
    image[30:60, 50:90] = 255
    for _ in range(50):
        warped, boxes, lost = warp(rng, image, np.array([[50, 30, 90, 60]], np.float32), 128, zoom=(0.8, 1.0))
        if lost:
            continue
        x0, y0, x1, y1 = boxes[0]
        assert warped[int((y0 + y1) / 2), int((x0 + x1) / 2)].min() > 200


def test_a_matrix_depends_on_nothing_but_its_generator():
    first, second = (random_affine(np.random.default_rng(5), 64, 48, SIZE, (0.5, 1.5)) for _ in range(2))
    assert (first == second).all()


def test_points_in_the_middle_of_a_box_answer_for_it_at_the_fitting_stride():
    centres, strides = grid_points(256)
    chosen = assign_boxes(np.array([[64, 64, 104, 104]], np.float32), centres.numpy(), strides.numpy())
    assert set(strides[chosen == 0].tolist()) == {8.0}
    assert assign_boxes(np.zeros((0, 4)), centres.numpy(), strides.numpy()).max() == -1


def test_generalised_iou_of_equal_and_of_distant_boxes():
    a = torch.tensor([[0.0, 0, 10, 10], [0, 0, 10, 10]])
    b = torch.tensor([[0.0, 0, 10, 10], [90, 0, 100, 10]])
    iou, giou = generalised_iou(a, b)
    assert iou.tolist() == pytest.approx([1.0, 0.0])
    assert giou.tolist() == pytest.approx([1.0, -0.8])


def test_the_loss_is_finite_with_and_without_failures():
    outputs = Detector()(torch.rand(2, 3, SIZE, SIZE))
    for boxes in ([[10, 10, 50, 50]], []):
        batch = [np.array(boxes, np.float32).reshape(-1, 4)] * 2
        assert torch.isfinite(detection_loss(outputs, batch, grid_points(SIZE))[0])


def test_the_summed_score_adds_its_share_to_the_loss_and_little_where_it_is_right():
    grid, boxes = grid_points(SIZE), [np.zeros((0, 4), np.float32)]
    logits, distances, _ = Detector().eval()(torch.rand(1, 3, SIZE, SIZE))

    def added(image_logit, weight):
        outputs = (logits.detach(), distances.detach(), torch.tensor([image_logit]))
        return (detection_loss(outputs, boxes, grid, weight)[0] - detection_loss(outputs, boxes, grid)[0]).item()

    wrong, right = added(8.0, 0.5), added(-8.0, 0.5)
    assert wrong > right > 0
    assert added(8.0, 1.0) == pytest.approx(2 * wrong, rel=1e-3)


def test_the_exported_form_has_one_box_and_one_confidence_per_point():
    exported = ExportedDetector(Detector().eval(), SIZE, 0.0, torch.zeros(320), torch.eye(320)[:, :7])
    boxes, confidences, embedding = exported(torch.rand(1, 3, SIZE, SIZE))
    points = 8 * 8 + 4 * 4 + 2 * 2
    assert (boxes.shape, confidences.shape) == ((1, points, 1, 4), (1, points, 1))
    assert 0 <= boxes.min() and boxes.max() <= 1
    assert embedding.shape == (1, 7)


def test_freezing_and_folding_do_not_change_the_answer():
    torch.manual_seed(0)
    detector = Detector().eval()
    inputs = torch.rand(1, 3, SIZE, SIZE)
    before = detector(inputs)[2]
    detector.trunk.freeze(8)
    assert torch.allclose(before, detector(inputs)[2], atol=1e-4)
    assert not any(p.requires_grad for p in detector.trunk.blocks[7].parameters())
    assert all(p.requires_grad for p in detector.trunk.blocks[8].parameters())


def test_a_picture_depends_on_seed_and_number_only():
    photos = [photo(True, 60), photo(False, 120)]
    image, boxes, names = Sampler(photos, photos, seed=4).picture(SIZE, 7)
    later = Sampler(photos, photos, seed=4)
    later.picture(SIZE, 6)
    again, boxes_again, names_again = later.picture(SIZE, 7)
    assert (image == again).all() and (boxes == boxes_again).all() and names == names_again
    assert not (image == Sampler(photos, photos, seed=5).picture(SIZE, 7)[0]).all()


def test_pictures_of_scenes_alone_show_photos_only_where_something_was_pasted():
    scenes = [photo(True, 200), photo(False, 220)]
    sampler = Sampler([photo(True, 60), photo(False, 120)], scenes, 1, Mixture({"scene": 1.0}))
    assert [sampler.picture(SIZE, number)[2] for number in range(6)] == [[]] * 6


def test_whole_photos_fill_the_picture_only_where_a_mixture_asks_for_them():
    photos = [photo(True, 60), photo(False, 120)]

    def shown(whole_share):
        sampler = Sampler(photos, [], 3, Mixture({"good": 1.0}, 0.0, whole_share, good_zoom=(0.3, 0.3)))
        images = [sampler._good(np.random.default_rng(number), SIZE)[0] for number in range(20)]
        return np.mean([(image == 120).all(-1).mean() for image in images])

    assert shown(0.0) < 0.7 < 0.85 < shown(1.0)


def test_a_pasted_failure_is_small_and_where_its_box_says():
    rng = np.random.default_rng(2)
    for _ in range(20):
        ground = np.zeros((224, 224, 3), np.uint8)
        x0, y0, x1, y1 = paste(rng, ground, np.full((60, 90, 3), 255, np.uint8))
        assert 0 <= x0 < x1 <= 224 and 0 <= y0 < y1 <= 224
        assert max(x1 - x0, y1 - y0) <= 0.45 * 224 + 1
        changed = np.argwhere(ground.max(2) > 0)
        assert (changed.min(0) >= [y0, x0]).all() and (changed.max(0) < [y1, x1]).all()
        assert ground[(y0 + y1) // 2, (x0 + x1) // 2].min() > 100


def test_the_front_and_the_back_of_the_trunk_are_the_whole():
    torch.manual_seed(0)
    for frozen_blocks in (5, 8, 11):
        detector = Detector().eval()
        detector.trunk.freeze(frozen_blocks)
        inputs = torch.rand(1, 3, SIZE, SIZE)
        front = detector.trunk.front(inputs)
        assert all(torch.allclose(a, b) for a, b in zip(detector(inputs), detector.from_front(front)))


def write_views(folder, splits, folds, names):
    count = len(splits)
    np.save(folder / "map0.npy", np.arange(count, dtype=np.float16).reshape(count, 1, 1, 1))
    (folder / "settings.json").write_text(json.dumps({"frozen_blocks": 5}))
    counts = np.arange(count)
    boxes = np.repeat(np.arange(count), counts).astype(np.float32)[:, None] * np.ones((1, 4), np.float32)
    np.savez(folder / "boxes.npz", counts=counts, boxes=boxes, splits=splits, folds=folds, photos=names)


def test_a_run_learns_its_split_or_the_other_folds_and_no_dropped_photo(tmp_path):
    write_views(tmp_path, ["train", "val", "train", "train"], [0, 1, 1, 2], ["a", "b", "a c", "d"])
    assert Views([tmp_path], None).members == [(0, 0), (0, 2), (0, 3)]
    assert Views([tmp_path], 1).members == [(0, 0), (0, 3)]
    assert Views([tmp_path, tmp_path], None, ["c"]).members == [(0, 0), (0, 3), (1, 0), (1, 3)]


def test_batches_keep_pictures_and_boxes_together_and_show_all_before_any_twice(tmp_path):
    write_views(tmp_path, ["train"] * 5, [0] * 5, [""] * 5)
    views, seen = Views([tmp_path], None), []
    for (maps,), boxes in views.batches(5, 2, seed=1):
        for value, found in zip(maps[:, 0, 0, 0].tolist(), boxes):
            assert len(found) == int(value) and (found == value).all()
            seen.append(value)
    assert sorted(seen[:5]) == [0, 1, 2, 3, 4]
    assert sorted(seen[5:]) == [0, 1, 2, 3, 4]


def test_photos_are_dealt_to_pools_in_proportion():
    dealt = deal({"large": [0] * 30, "small": [0] * 10}, 40)
    assert dealt.count("small") == 10
    assert "small" in dealt[:4]


def test_pools_of_training_photos_alone_hold_no_validation_photo(tmp_path):
    manifest = []
    for split in ("train", "val"):
        for folder in ("images", "labels"):
            (tmp_path / folder / split).mkdir(parents=True)
        # As many scenes as every fold needs to get failing and good ones.
        for i in range(60):
            name = f"{split}/{i}"
            cv2.imwrite(str(tmp_path / f"images/{name}.jpg"), np.zeros((8, 8, 3), np.uint8))
            (tmp_path / f"labels/{name}.txt").write_text("0 0.5 0.5 0.5 0.5\n" if i % 2 else "")
            manifest.append({"file": f"{name}.jpg", "source": "open", "group": f"{split}-{i}"})
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    everything, training = make_pools(tmp_path), make_pools(tmp_path, ("train",))
    assert {split for split, _ in everything} == {"train", "val"}
    groups = {photo.group.split("-")[0] for photos in training.values() for photo in photos}
    assert groups == {"train"} and sum(map(len, training.values())) == 60


def test_failures_of_a_loose_source_that_the_other_folds_take_for_good_are_left_out():
    def record(name, failing, score, source="open"):
        return {"name": name, "failing": failing, "whole": score, "source": source}

    records = [record(f"f{i}", True, 5.0 + i) for i in range(10)] + [record(f"g{i}", False, -5.0 - i) for i in range(10)]
    doubts = [record("dull", True, -14.0, "prottos"), record("small", True, -14.0), record("mess", False, 20.0), record("kept out", False, 30.0, "ercf")]
    assert doubtful(records + doubts) == ["dull"]


def test_only_failing_drawn_pictures_have_boxes():
    rng = np.random.default_rng(1)
    for _ in range(5):
        assert len(draw_picture(rng, SIZE, failing=False)[1]) == 0
        image, boxes = draw_picture(rng, 128, failing=True)
        assert image.shape == (128, 128, 3)
        assert len(boxes) >= 1


@pytest.mark.parametrize(
    ("published", "ours"),
    [
        ("_bn0.weight", "stem_bn.weight"),
        ("_blocks.0._bn1.bias", "blocks.0.depthwise_bn.bias"),
        ("_blocks.3._expand_conv.weight", "blocks.3.expand.weight"),
        ("_fc.weight", "_fc.weight"),
    ],
)
def test_published_names_are_translated(published, ours):
    assert rename_published(published) == ours


def test_every_source_of_good_photos_is_drawn_by_the_root_of_its_size():
    photos = [replace(photo(False, 60), source="large")] * 9 + [replace(photo(False, 60), source="small")]
    weights = source_weights(photos)
    assert weights.sum() == pytest.approx(1.0)
    assert weights[:9].sum() == pytest.approx(3 * weights[9])


def test_a_covered_failure_is_gone_and_the_rest_stays():
    failing, good = photo(True, 60), photo(False, 120)
    failing.image[10:40, 10:40] = 255
    sampler = Sampler([failing, good], [], 1, Mixture({"healed": 1.0}))
    for number in range(6):
        image, boxes = sampler._healed(np.random.default_rng(number), SIZE)
        assert len(boxes) == 0
        # White was the failure only; margins around a picture are at most 200.
        assert (image > 240).mean() < 0.01


def checkpoint(path, seed):
    """Writes a network with weights and batch norms of its own; returns it."""
    torch.manual_seed(seed)
    detector = Detector()
    for module in detector.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            torch.nn.init.uniform_(module.weight, 0.5, 1.5)
            torch.nn.init.uniform_(module.running_mean, -0.1, 0.1)
            torch.nn.init.uniform_(module.running_var, 0.5, 1.5)
    detector.trunk.freeze(8)
    torch.save({"weights": detector.state_dict(), "settings": {"frozen_blocks": 8}}, path)
    return detector.eval()


def test_a_network_answers_the_same_once_its_batch_norms_are_merged(tmp_path):
    detector = checkpoint(tmp_path / "a.pt", 1)
    picture = torch.rand(1, 3, SIZE, SIZE)
    with torch.no_grad():
        pairs = list(zip(detector(picture), load_checkpoint(tmp_path / "a.pt")(picture)))
    assert all(torch.allclose(whole, merged, atol=1e-3, rtol=1e-3) for whole, merged in pairs)


def test_in_a_mean_a_network_that_is_named_twice_counts_twice(tmp_path):
    paths = [tmp_path / "a.pt", tmp_path / "b.pt"]
    for seed, path in enumerate(paths):
        checkpoint(path, seed)
    a, b = (load_checkpoint(path).tower[0].weight for path in paths)
    mean = mean_detector([paths[0], paths[1], paths[1]]).tower[0].weight
    assert torch.allclose(mean, (a + 2 * b) / 3, atol=1e-6)
