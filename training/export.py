"""Turns a checkpoint into ONNX files: one with weights stored as fp16, and one in int8 (QDQ).

    python training/export.py --checkpoint FILE --data DIR --out detector.onnx --int8 detector-int8.onnx
"""

import argparse
import tempfile
import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from metrics import best_cut, logistic_slope, roc_auc
from model import Detector, ExportedDetector, image_score_logit
from photos import GPL_SOURCES, WHOLE, fit_square, load_photos, stack_inputs

OPSET = 17
OUTPUTS = ("boxes", "confs", "embedding")
# Smaller tensors (biases, constants of shapes) stay fp32: they weigh nothing.
MIN_HALF_SIZE = 256
# A failure that one frame misses is still there in the next; a good print that is stopped is lost.
FALSE_ALARM_COST = 4
# How far a confidence may move through the fp16 storage of the weights.
TOLERANCE = 0.02
# In int8 single confidences move; their order over the validation photos must not (loss of ROC-AUC).
INT8_TOLERANCE = 0.02
EMBEDDING_LENGTH = 128
# One in so many training photos calibrates the int8 ranges, one in so many finds the axes of the embedding.
CALIBRATION_STEP = 15
EMBEDDING_STEP = 3


def load_checkpoint(path):
    """The detector of a checkpoint, its batch norms merged into the convolutions."""
    checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    detector = Detector()
    detector.trunk.freeze(checkpoint["settings"]["frozen_blocks"])
    detector.load_state_dict(checkpoint["weights"])
    return detector.fold_batch_norms()


def mean_detector(paths):
    """The detector whose weights are the mean of those of checkpoints; one that is named twice counts twice."""
    detector, *others = [load_checkpoint(path) for path in paths]
    weights = [each.state_dict() for each in (detector, *others)]
    detector.load_state_dict({name: sum(each[name] for each in weights) / len(weights) for name in weights[0]})
    return detector


def input_of(photo, size):
    return stack_inputs([fit_square(photo.image, size)])


@torch.no_grad()
def score_logits(detector, photos, size):
    logits = []
    for photo in photos:
        boxes, _, image = detector(torch.from_numpy(input_of(photo, size)))
        logits.append(image_score_logit(boxes, image).item())
    return logits


def calibration(detector, photos, size):
    """The bias that puts the best cut between failing and good photos at a confidence of 0.5, and the slope that makes scores as sure as
    they are right: a mean of networks is less sure than each of them, and smoothing and bars want confidences."""
    logits, failing = score_logits(detector, photos, size), [photo.failing for photo in photos]
    return -best_cut(logits, failing, FALSE_ALARM_COST), logistic_slope(logits, failing)


@torch.no_grad()
def embedding_axes(detector, photos, size, length=EMBEDDING_LENGTH):
    """Mean [320] and first principal axes [320, length] of the pooled top features over photos."""
    pooled = [detector.trunk(torch.from_numpy(input_of(photo, size)))[-1].mean((2, 3)) for photo in photos]
    features = torch.cat(pooled)
    centre = features.mean(0)
    return centre, torch.linalg.svd(features - centre, full_matrices=False)[2][:length].T.contiguous()


def store_weights_as_half(model):
    """Halves the file: large weights are stored as fp16 and cast back on loading; the maths stays fp32."""
    casts = []
    for weight in model.graph.initializer:
        if weight.data_type != TensorProto.FLOAT or np.prod(weight.dims) <= MIN_HALF_SIZE:
            continue
        name, half_name = weight.name, f"{weight.name}_half"
        weight.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(weight).astype(np.float16), half_name))
        casts.append(helper.make_node("Cast", [half_name], [name], to=TensorProto.FLOAT))
    for cast in reversed(casts):
        model.graph.node.insert(0, cast)
    onnx.checker.check_model(model)
    return model


def export_onnx(exported, path):
    size = exported.size
    with warnings.catch_warnings():
        # The tracing exporter writes plain operators that every runtime knows; its successor is not needed here.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            exported,
            (torch.zeros(1, 3, size, size),),
            str(path),
            input_names=["input"],
            output_names=list(OUTPUTS),
            opset_version=OPSET,
            dynamo=False,
        )


class Inputs(CalibrationDataReader):
    def __init__(self, photos, size):
        self.inputs = iter([{"input": input_of(photo, size)} for photo in photos])

    def get_next(self):
        return next(self.inputs, None)


def quantise(path, out, photos, size):
    """Writes the int8 form: trunk and pyramid in int8, heads and all that follows them as they were."""
    prepared = f"{path}.prepared"
    quant_pre_process(path, prepared, skip_symbolic_shape=True)
    nodes = onnx.load(prepared).graph.node
    heads = [node.name for node in nodes if "box_logit" in node.name or "box_distance" in node.name]
    first = [next(node.name for node in nodes if node.op_type == "Conv")]
    after = [node.name for node in nodes if node.op_type == "Add" and "blocks" not in node.name]
    quantize_static(
        prepared,
        out,
        Inputs(photos, size),
        quant_format=QuantFormat.QDQ,
        per_channel=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
        nodes_to_exclude=heads + first + after,
        op_types_to_quantize=["Conv", "Add"],
        calibrate_method=CalibrationMethod.Percentile,
        extra_options={"ActivationSymmetric": False, "WeightSymmetric": True, "CalibPercentile": 99.99},
    )


def open_session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


@torch.no_grad()
def check_same_answers(exported, path, photos):
    """Refuses a file that does not answer as the network it was made from."""
    session = open_session(path)
    for photo in photos:
        inputs = input_of(photo, exported.size)
        expected = [part.numpy() for part in exported(torch.from_numpy(inputs))]
        got = session.run(list(OUTPUTS), {"input": inputs})
        difference = np.abs(got[1] - expected[1]).max()
        apart = np.linalg.norm(got[2] - expected[2]) / np.linalg.norm(expected[2])
        if difference > TOLERANCE or apart > TOLERANCE:
            raise ValueError(f"{photo.name}: the exported file is off by {difference:.3f}, its embedding by {apart:.3f}")


def check_same_order(path, int8_path, photos, size):
    """Refuses an int8 file that tells failing from good photos worse than the file it stands for."""
    failing = [photo.failing for photo in photos]
    aucs = []
    for file in (path, int8_path):
        session = open_session(file)
        aucs.append(roc_auc([session.run(["confs"], {"input": input_of(p, size)})[0].max() for p in photos], failing))
    if aucs[0] - aucs[1] > INT8_TOLERANCE:
        raise ValueError(f"int8 loses too much: ROC-AUC {aucs[1]:.4f} instead of {aucs[0]:.4f}")
    return aucs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", action="append", required=True, help="repeated: the mean of their weights")
    parser.add_argument("--data", required=True, help="folder whose validation photos set the bias")
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--out", required=True)
    parser.add_argument("--int8", help="where the int8 form goes; not made without")
    options = parser.parse_args()
    torch.set_num_threads(1)

    detector = mean_detector(options.checkpoint)
    photos = load_photos(options.data, "val", without=GPL_SOURCES, longest=WHOLE)
    learned = load_photos(options.data, "train", without=GPL_SOURCES)
    bias, slope = calibration(detector, photos, options.size)
    axes = embedding_axes(detector, learned[::EMBEDDING_STEP], options.size)
    exported = ExportedDetector(detector, options.size, bias, *axes, slope).eval()
    with tempfile.TemporaryDirectory() as scratch:
        plain = str(Path(scratch) / "plain.onnx")
        export_onnx(exported, plain)
        onnx.save(store_weights_as_half(onnx.load(plain)), options.out)
        check_same_answers(exported, options.out, photos[:24])
        print(f"{options.out}: {Path(options.out).stat().st_size / 1e6:.2f} MB, bias {bias:.3f}, slope {slope:.3f}", flush=True)
        if options.int8:
            quantise(plain, options.int8, learned[::CALIBRATION_STEP], options.size)
            whole, small = check_same_order(options.out, options.int8, photos, options.size)
            size = Path(options.int8).stat().st_size / 1e6
            print(f"{options.int8}: {size:.2f} MB, validation ROC-AUC {small:.4f} (fp16: {whole:.4f})")


if __name__ == "__main__":
    main()
