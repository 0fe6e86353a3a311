"""Draws a figure of the paper from a run that the command hands over as JSON."""

import json
import sys

import circuit
import segments
import tensor
import trace

FIGURES = {"circuit": circuit.Circuit, "tensor": tensor.Tensor, "segments": segments.Segments}


def main(figure):
    print(flush=True)  # nothing is missing here
    run = trace.Run(json.load(sys.stdin.buffer))
    sys.stdout.buffer.write(FIGURES[figure](run).picture().encode())
