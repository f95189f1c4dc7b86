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
from sampler import Sampler, source_weights
from synthetic import draw_picture
from trunk import rename_published

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


def test_the_exported_form_has_one_box_and_one_confidence_per_point():
    boxes, confidences = ExportedDetector(Detector().eval(), SIZE)(torch.rand(1, 3, SIZE, SIZE))
    points = 8 * 8 + 4 * 4 + 2 * 2
    assert (boxes.shape, confidences.shape) == ((1, points, 1, 4), (1, points, 1))
    assert 0 <= boxes.min() and boxes.max() <= 1


def test_freezing_and_folding_do_not_change_the_answer():
    torch.manual_seed(0)
    detector = Detector().eval()
    inputs = torch.rand(1, 3, SIZE, SIZE)
    before = detector(inputs)[2]
    detector.trunk.freeze(8)
    assert torch.allclose(before, detector(inputs)[2], atol=1e-4)
    assert not any(p.requires_grad for p in detector.trunk.blocks[7].parameters())
    assert all(p.requires_grad for p in detector.trunk.blocks[8].parameters())


def test_a_batch_depends_on_seed_and_number_only():
    photos = [photo(True, 60), photo(False, 120)]
    inputs, boxes = Sampler(photos, photos, seed=4).batch(3, SIZE, 7)
    later = Sampler(photos, photos, seed=4)
    later.batch(3, SIZE, 6)
    again, boxes_again = later.batch(3, SIZE, 7)
    assert torch.equal(inputs, again)
    assert all((a == b).all() for a, b in zip(boxes, boxes_again))
    assert not torch.equal(inputs, Sampler(photos, photos, seed=5).batch(3, SIZE, 7)[0])


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
