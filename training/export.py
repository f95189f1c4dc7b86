"""Turns a checkpoint into the shipped ONNX file: calibrated on the validation photos, weights stored as fp16.

    python training/export.py --checkpoint FILE --data DIR --out detector.onnx
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper

from metrics import best_cut
from model import Detector, ExportedDetector, image_score_logit
from photos import GPL_SOURCES, WHOLE, fit_square, load_photos, stack_inputs

OPSET = 17
# Smaller tensors (biases, constants of shapes) stay fp32: they weigh nothing.
MIN_HALF_SIZE = 256
# A failure that one frame misses is still there in the next; a good print that is stopped is lost.
FALSE_ALARM_COST = 4
# How far a confidence may move through the fp16 storage of the weights.
TOLERANCE = 0.02


def load_checkpoint(path):
    checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    detector = Detector()
    detector.trunk.freeze(checkpoint["settings"]["frozen_blocks"])
    detector.load_state_dict(checkpoint["weights"])
    return detector.eval()


@torch.no_grad()
def score_logits(detector, photos, size):
    logits = []
    for photo in photos:
        boxes, _, image = detector(torch.from_numpy(stack_inputs([fit_square(photo.image, size)])))
        logits.append(image_score_logit(boxes, image).item())
    return logits


def calibration_bias(detector, photos, size):
    """The bias that puts the best cut between failing and good photos at a confidence of 0.5."""
    failing = [photo.failing for photo in photos]
    return -best_cut(score_logits(detector, photos, size), failing, FALSE_ALARM_COST)


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


def export_onnx(detector, size, bias, path):
    exported = ExportedDetector(detector, size, bias).eval()
    with warnings.catch_warnings():
        # The tracing exporter writes plain operators that every runtime knows; its successor is not needed here.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            exported,
            (torch.zeros(1, 3, size, size),),
            str(path),
            input_names=["input"],
            output_names=["boxes", "confs"],
            opset_version=OPSET,
            dynamo=False,
        )
    onnx.save(store_weights_as_half(onnx.load(path)), path)
    return exported


@torch.no_grad()
def check_same_answers(exported, path, photos, size):
    """Refuses a file that does not answer as the network it was made from."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    for photo in photos:
        inputs = stack_inputs([fit_square(photo.image, size)])
        expected = exported(torch.from_numpy(inputs))[1].numpy()
        difference = np.abs(session.run(["confs"], {"input": inputs})[0] - expected).max()
        if difference > TOLERANCE:
            raise ValueError(f"{photo.name}: the exported file is off by {difference:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--data", required=True, help="folder whose validation photos set the bias")
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    torch.set_num_threads(1)

    detector = load_checkpoint(options.checkpoint)
    photos = load_photos(options.data, "val", without=GPL_SOURCES, longest=WHOLE)
    bias = calibration_bias(detector, photos, options.size)
    exported = export_onnx(detector, options.size, bias, options.out)
    check_same_answers(exported, options.out, photos[:24], options.size)
    print(f"{options.out}: {Path(options.out).stat().st_size / 1e6:.2f} MB, bias {bias:.3f}")


if __name__ == "__main__":
    main()
