"""The decoder of Kokoro as two graphs of our own over the published weights.

``features``: aligned text, F0 and energy -> 512 features at 80 frames/s. It is cheap and runs
over a whole segment, with exact instance norms.

``generator``: features and the spectrum of the harmonic source -> log magnitude and phase at
4,800 frames/s. It is 19/20 of the work. Its instance norms are given as one scale and shift a
channel, so it is a plain convolution that can be run window by window.

The layers are those of StyleTTS 2 (Li et al. 2023, arXiv:2306.07691, appendix) with the iSTFTNet
vocoder (Kaneko et al. 2022, arXiv:2203.02395); every name matches the published graph.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engines.kokoro.checkpoint import Checkpoint, Weights
from engines.kokoro.graph import GraphBuilder

FEATURE_CHANNELS = 512
SPECTRUM_CHANNELS = 22
"""Magnitude and phase of 11 bins: STFT of 20 points."""

STYLE_CHANNELS = 128
NORM_EPSILON = 1e-5
_HALF_POWER = 1.0 / math.sqrt(2.0)
_DILATIONS = (1, 3, 5)
_STAGE_CHANNELS = (256, 128)
_GENERATOR = "decoder/generator"


@dataclass(frozen=True, slots=True)
class NormLayer:
    """One adaptive instance norm of the generator and its channels in the packed arrays."""

    name: str
    start: int
    channels: int

    @property
    def end(self) -> int:
        """First channel after this layer's."""
        return self.start + self.channels


def generator_norms() -> tuple[NormLayer, ...]:
    """All norms of the generator, in the order in which their channels are packed."""
    layers: list[NormLayer] = []
    start = 0
    for block, channels in _blocks():
        for step in range(len(_DILATIONS)):
            for half in (1, 2):
                layers.append(NormLayer(f"{block}/adain{half}.{step}", start, channels))
                start += channels
    return tuple(layers)


def _blocks() -> list[tuple[str, int]]:
    """Residual blocks of the generator and their channels: stage 800 Hz, then 4,800 Hz."""
    first = ["noise_res.0", "resblocks.0", "resblocks.1", "resblocks.2"]
    second = ["noise_res.1", "resblocks.3", "resblocks.4", "resblocks.5"]
    low, high = _STAGE_CHANNELS
    return [(f"{_GENERATOR}/{name}", low) for name in first] + [
        (f"{_GENERATOR}/{name}", high) for name in second
    ]


NORM_CHANNELS = sum(layer.channels for layer in generator_norms())


def build_features(weights: Checkpoint) -> GraphBuilder:
    """Inputs ``text [1,512,T]``, ``f0 [1,2T]``, ``energy [1,2T]``, ``style [1,128]``, ``mask``.

    ``mask [1,1,T]`` is 1 for frames of the segment and 0 for frames added behind it, which have
    no influence: so a compiler sees few different lengths. Output ``features [1,512,2T]``.
    """
    graph = GraphBuilder("features")
    text = graph.input("text", [1, 512, "frames"])
    style = graph.input("style", [1, STYLE_CHANNELS])
    mask = graph.input("mask", [1, 1, "frames"])
    curves = [
        graph.conv(
            graph.node("Unsqueeze", [graph.input(name, [1, "half_frames"]), graph.constant([1])]),
            weights.weight(f"decoder/{layer}"), _bias(weights, f"decoder/{layer}"),
            stride=2, pad=1,
        )
        for name, layer in (("f0", "F0_conv"), ("energy", "N_conv"))
    ]  # fmt: skip
    blocks = _DecodeBlocks(graph, weights, style, mask)
    shortcut = graph.conv(
        text, weights.weight("decoder/asr_res/asr_res.0"), _bias(weights, "decoder/asr_res.0")
    )
    value = blocks.apply("decoder/encode", graph.concat([text, *curves]))
    for index in range(4):
        joined = graph.concat([value, shortcut, *curves])
        value = blocks.apply(f"decoder/decode.{index}", joined, upsample=index == 3)
    graph.output(value, "features", [1, FEATURE_CHANNELS, "half_frames"])
    return graph


class _DecodeBlocks:
    """Two normalised convolutions beside a 1x1 shortcut; the last block doubles the rate."""

    def __init__(self, graph: GraphBuilder, weights: Checkpoint, style: str, mask: str) -> None:
        self._graph, self._weights, self._style = graph, weights, style
        self._mask = mask

    def apply(self, layer: str, value: str, *, upsample: bool = False) -> str:
        """The output of one block, twice as long if it upsamples."""
        graph, mask = self._graph, self._mask
        side, main = value, self._norm(f"{layer}/norm1", value, mask)
        if upsample:
            side, mask = self._doubled(side), self._doubled(mask)
            pool = self._weights.weight(f"{layer}/pool")
            main = graph.conv_transpose(
                main, pool, _must(self._weights, f"{layer}/pool"), stride=2, pad=1,
                output_padding=1, group=pool.shape[0],
            )  # fmt: skip
            main = graph.mul(main, mask)
        main = self._norm(f"{layer}/norm2", self._conv(f"{layer}/conv1", main), mask)
        main = self._conv(f"{layer}/conv2", main)
        side = graph.conv(side, self._weights.weight(f"{layer}/conv1x1"), None)
        return graph.scaled(graph.add(main, side), _HALF_POWER)

    def _conv(self, layer: str, value: str) -> str:
        return self._graph.conv(value, self._weights.weight(layer), _bias(self._weights, layer))

    def _doubled(self, value: str) -> str:
        factors = self._graph.constant(np.array([1, 1, 2], np.float32))
        return self._graph.node(
            "Resize", [value, "", factors], mode="nearest", nearest_mode="floor",
            coordinate_transformation_mode="asymmetric",
        )  # fmt: skip

    def _norm(self, layer: str, value: str, mask: str) -> str:
        """Normalise each channel over the segment, scale and shift it by the style, rectify."""
        graph = self._graph
        matrix, bias = self._weights.weight(f"{layer}/fc"), _must(self._weights, f"{layer}/fc")
        channels = bias.size // 2
        gains = graph.node("MatMul", [self._style, graph.constant(matrix)])
        gains = graph.node(
            "Unsqueeze", [graph.add(gains, graph.constant(bias)), graph.constant([2])]
        )
        gamma = graph.add(graph.slice(gains, 0, channels), graph.scalar(1.0))
        beta = graph.slice(gains, channels, 2 * channels)
        axes = graph.constant([2])
        count = graph.node("ReduceSum", [mask, axes], keepdims=1)
        total = graph.node("ReduceSum", [graph.mul(value, mask), axes], keepdims=1)
        centred = graph.node("Sub", [value, graph.node("Div", [total, count])])
        masked = graph.mul(centred, mask)
        power = graph.node("ReduceSum", [graph.mul(masked, masked), axes], keepdims=1)
        deviation = graph.node(
            "Sqrt", [graph.add(graph.node("Div", [power, count]), graph.scalar(NORM_EPSILON))]
        )
        normal = graph.affine(masked, graph.node("Div", [gamma, deviation]), beta)
        return graph.mul(graph.leaky_relu(normal, 0.2), mask)


def build_generator(
    weights: Checkpoint, *, polynomial_sine: bool, half: bool = False
) -> GraphBuilder:
    """Inputs ``features [1,512,n]``, ``source [1,22,60n+1]``, ``scale`` and ``shift [1,N,1]``.

    Output ``spectrum [1,22,60n+1]``: 11 log magnitudes, 11 phases before their sine. ``half``
    computes in fp16, for GPUs.
    """
    graph = GraphBuilder("generator", half=half)
    scale = graph.input("scale", [1, NORM_CHANNELS, 1])
    shift = graph.input("shift", [1, NORM_CHANNELS, 1])
    norms = _FrozenNorms(graph, scale, shift)
    _generator_body(graph, weights, norms, polynomial_sine=polynomial_sine)
    return graph


def build_calibrator(weights: Checkpoint, *, polynomial_sine: bool) -> GraphBuilder:
    """The generator with exact instance norms, which also tells their statistics.

    Inputs ``features``, ``source``, ``gamma`` and ``beta [1,N,1]``, and how much each moment
    counts: ``weights_low [1,1,10n]``, ``weights_high [1,1,60n+1]``, which sum to 1. Outputs
    ``spectrum``, and ``mean`` and ``variance [1,N,1]`` of what each norm sees.
    """
    graph = GraphBuilder("calibrator")
    norms = _MeasuredNorms(graph)
    _generator_body(graph, weights, norms, polynomial_sine=polynomial_sine)
    graph.output(graph.concat(norms.means), "mean", [1, NORM_CHANNELS, 1])
    graph.output(graph.concat(norms.variances), "variance", [1, NORM_CHANNELS, 1])
    return graph


class _FrozenNorms:
    """Norms as one given scale and shift a channel."""

    def __init__(self, graph: GraphBuilder, scale: str, shift: str) -> None:
        self._graph, self._scale, self._shift = graph, scale, shift

    def apply(self, value: str, layer: NormLayer) -> str:
        scale = self._graph.slice(self._scale, layer.start, layer.end)
        shift = self._graph.slice(self._shift, layer.start, layer.end)
        return self._graph.affine(value, scale, shift)


class _MeasuredNorms:
    """Norms over the whole input; statistics are kept in the packed order."""

    def __init__(self, graph: GraphBuilder) -> None:
        self._graph = graph
        self._gamma = graph.input("gamma", [1, NORM_CHANNELS, 1])
        self._beta = graph.input("beta", [1, NORM_CHANNELS, 1])
        low = graph.input("weights_low", [1, 1, "low_frames"])
        high = graph.input("weights_high", [1, 1, "source_frames"])
        self._weights = {_STAGE_CHANNELS[0]: low, _STAGE_CHANNELS[1]: high}
        order = generator_norms()
        self._index = {layer.name: index for index, layer in enumerate(order)}
        self.means = [""] * len(order)
        self.variances = [""] * len(order)

    def apply(self, value: str, layer: NormLayer) -> str:
        graph, index = self._graph, self._index[layer.name]
        mean = self._weighted(value, layer)
        # Around the mean, because the difference of two large squares drowns in bf16.
        centred = graph.node("Sub", [value, mean])
        variance = self._weighted(graph.mul(centred, centred), layer)
        self.means[index], self.variances[index] = mean, variance
        deviation = graph.node("Sqrt", [graph.add(variance, graph.scalar(NORM_EPSILON))])
        gamma = graph.slice(self._gamma, layer.start, layer.end)
        beta = graph.slice(self._beta, layer.start, layer.end)
        return graph.affine(centred, graph.node("Div", [gamma, deviation]), beta)

    def _weighted(self, value: str, layer: NormLayer) -> str:
        graph = self._graph
        counted = graph.mul(value, self._weights[layer.channels])
        return graph.node("ReduceSum", [counted, graph.constant([2])], keepdims=1)


def _generator_body(
    graph: GraphBuilder, weights: Checkpoint, norms: _FrozenNorms | _MeasuredNorms, *,
    polynomial_sine: bool,
) -> None:  # fmt: skip
    blocks = _ResidualBlocks(graph, weights, norms, polynomial_sine)
    source = graph.input("source", [1, SPECTRUM_CHANNELS, "source_frames"])
    value = graph.input("features", [1, FEATURE_CHANNELS, "half_frames"])
    for stage, (stride, noise) in enumerate(((10, (6, 3)), (6, (1, 0)))):
        noise_name, up_name = f"{_GENERATOR}/noise_convs.{stage}", f"{_GENERATOR}/ups.{stage}"
        excitation = graph.conv(
            source, weights.weight(noise_name), _must(weights, noise_name), stride=noise[0],
            pad=noise[1],
        )  # fmt: skip
        excitation = blocks.apply(f"{_GENERATOR}/noise_res.{stage}", excitation)
        value = graph.upsample(
            graph.leaky_relu(value, 0.1), weights.weight(up_name), _must(weights, up_name), stride
        )
        if stage == 1:
            # One frame more than samples need: reflect the second one to the front.
            value = graph.concat([graph.slice(value, 1, 2, axis=2), value], axis=2)
        value = graph.add(value, excitation)
        parts = [blocks.apply(f"{_GENERATOR}/resblocks.{3 * stage + i}", value) for i in range(3)]
        value = graph.scaled(graph.add(graph.add(parts[0], parts[1]), parts[2]), 1.0 / 3.0)
    post = f"{_GENERATOR}/conv_post"
    value = graph.conv(graph.leaky_relu(value, 0.01), weights.weight(post), _must(weights, post))
    graph.output(value, "spectrum", [1, SPECTRUM_CHANNELS, "source_frames"])


class _ResidualBlocks:
    """Residual blocks: three times norm, snake, dilated convolution, norm, snake, convolution."""

    def __init__(
        self, graph: GraphBuilder, weights: Checkpoint, norms: _FrozenNorms | _MeasuredNorms,
        polynomial_sine: bool,
    ) -> None:  # fmt: skip
        self._graph, self._weights, self._norms = graph, weights, norms
        self._layers = {layer.name: layer for layer in generator_norms()}
        self._polynomial = polynomial_sine

    def apply(self, block: str, value: str) -> str:
        """The output of one block, as long as its input."""
        graph = self._graph
        for step, dilation in enumerate(_DILATIONS):
            inner = value
            for half, reach in ((1, dilation), (2, 1)):
                inner = self._norms.apply(inner, self._layers[f"{block}/adain{half}.{step}"])
                inner = self._snake(f"{block}/alpha{half}.{step}", inner)
                layer = f"{block}/convs{half}.{step}"
                inner = graph.conv(
                    inner, self._weights.weight(layer), _must(self._weights, layer), dilation=reach
                )
            value = graph.add(inner, value)
        return value

    def _snake(self, name: str, value: str) -> str:
        """``x + sin(a x)^2 / a`` (Ziyin et al. 2020, arXiv:2006.08195)."""
        graph = self._graph
        alpha = self._weights.tensor(_stored(name))
        if self._polynomial:
            square = _sine_square(graph, graph.mul(value, graph.constant(alpha / np.pi)))
        else:
            sine = graph.node("Sin", [graph.mul(value, graph.constant(alpha))])
            square = graph.mul(sine, sine)
        return graph.add(value, graph.mul(square, graph.constant(1.0 / alpha)))


def _sine_square(graph: GraphBuilder, turns: str) -> str:
    """``sin(pi * turns)^2`` from operations that compilers vectorise and fuse.

    The square has period 1, so only the distance to the nearest whole number counts.
    """
    rest = graph.node("Sub", [turns, graph.node("Round", [turns])])
    square = graph.mul(rest, rest)
    terms = sine_square_terms()
    value = graph.scalar(terms[-1])
    for term in reversed(terms[:-1]):
        value = graph.affine(value, square, graph.scalar(term))
    return graph.mul(value, square)


def sine_square_terms(degree: int = 4) -> list[float]:
    """Coefficients of ``sin(pi r)^2 / r^2`` in powers of ``r^2``, best for ``|r| <= 1/2``."""
    nodes = 0.125 + 0.125 * np.cos(np.pi * (np.arange(64) + 0.5) / 64)
    values = np.sin(np.pi * np.sqrt(nodes)) ** 2 / nodes
    fit = np.polynomial.chebyshev.Chebyshev.fit(nodes, values, degree, domain=[0.0, 0.25])
    return [float(term) for term in fit.convert(kind=np.polynomial.Polynomial).coef]


def style_gains(weights: Checkpoint) -> tuple[Weights, Weights]:
    """Matrix ``[128, 2N]`` and bias ``[2N]`` from a style to all gammas and then all betas.

    Gamma already has its 1 added.
    """
    gammas: list[tuple[Weights, Weights]] = []
    betas: list[tuple[Weights, Weights]] = []
    for layer in generator_norms():
        matrix, bias = weights.weight(f"{layer.name}/fc"), _must(weights, f"{layer.name}/fc")
        half = layer.channels
        gammas.append((matrix[:, :half], bias[:half] + 1.0))
        betas.append((matrix[:, half:], bias[half:]))
    both = gammas + betas
    return (
        np.concatenate([matrix for matrix, _ in both], axis=1),
        np.concatenate([bias for _, bias in both]).astype(np.float32),
    )


def _stored(layer: str) -> str:
    """The name under which the exporter stored a tensor of a layer."""
    return "decoder." + layer.replace("/", ".")


def _bias(weights: Checkpoint, layer: str) -> Weights | None:
    name = _stored(layer) + ".bias"
    return weights.tensor(name) if weights.has(name) else None


def _must(weights: Checkpoint, layer: str) -> Weights:
    return weights.tensor(_stored(layer) + ".bias")
