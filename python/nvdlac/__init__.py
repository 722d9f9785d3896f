# SPDX-License-Identifier: Apache-2.0
"""Turns trained networks into programs for NVDLA and proves them on a bit-accurate simulator.

    import nvdlac
    product = nvdlac.compile('net.onnx', 'nv_small', calibration=pictures)
    print(product.cycles)
    scores = product.run(pictures)
    product.save('net.nvdla')

Arrays of bytes (uint8) are pixels, which are preprocessed as `mean`, `scale` and `order` say; all
other numbers are the values that the network takes. `nvdlac.options()` tells every option.
"""
from __future__ import annotations

import inspect
import json
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

from . import _nvdlac
from ._nvdlac import Error, Problem, __version__

if TYPE_CHECKING:
    import numpy as np
    from typing_extensions import Unpack

    from ._options import CompileOptions, ReadOptions

    # An array, a file or a folder, several of these, or one of them for each input by its name.
    Inputs = Union[np.ndarray, str, os.PathLike, Sequence, Mapping[str, Any]]
    # Called with what is done, how much of it, and of how much (0: unknown).
    Progress = Callable[[str, int, int], None]

__all__ = [
    'Configuration', 'DoubtfulInput', 'Error', 'Exploration', 'Model', 'Problem', 'Product',
    'Program', 'Verification', 'compile', 'configurations', 'explore', 'load', 'options', 'read',
    'show_progress',
]


class DoubtfulInput(UserWarning):
    """Inputs of a run lie beyond what the program can represent."""


class Configuration:
    """An NVDLA: `nvdlac.configurations['nv_small']`, or numbers of your own.

    `Configuration('mine', base='nv_small', mac_atomic_c=16, cbuf_banks=16)` is nv_small but for
    these members of its specification, those of `spec` (nested ones in a dict: `{'dram.latency':
    128}`); `Configuration.from_spec('my_soc.spec')` reads NVIDIA's file. A network is compiled for
    it, but only the configurations of the module can be simulated.
    """

    def __init__(self, name: str, base: str | Configuration = 'nv_small',
                 members: Mapping[str, int] | None = None, **more: int) -> None:
        changes = {**(members or {}), **more}
        self._held = _nvdlac.own_configuration(
            name, _held(base), [(member, int(value)) for member, value in changes.items()])

    @classmethod
    def from_spec(cls, path: str | os.PathLike, name: str | None = None) -> Configuration:
        """That of a file of spec/defs of nvdla/hw, or of the project.h that its build makes."""
        file = os.fspath(path)
        stem = os.path.splitext(os.path.basename(file))[0]
        return cls._of(_nvdlac.configuration_in_file(name or stem, file))

    @classmethod
    def _of(cls, held: _nvdlac.Configuration) -> Configuration:
        configuration = cls.__new__(cls)
        configuration._held = held
        return configuration

    @property
    def name(self) -> str:
        return self._held.name

    @property
    def spec(self) -> dict[str, int]:
        """The members of its specification, as nvdlac/hw/spec.hpp calls them."""
        return self._held.spec

    def describe(self) -> dict[str, Any]:
        """What it is and can do, as `nvdlac configs --json` tells it; of the module's only."""
        for one in json.loads(_nvdlac.described_configurations())['configurations']:
            if one['name'] == self.name:
                return one
        raise ValueError(f"'{self.name}' is none of the module's configurations")

    def __repr__(self) -> str:
        return f'<nvdlac.Configuration {self.name}>'


class Model:
    """A network as it was read; `compile` makes programs of it."""

    def __init__(self, held: _nvdlac.Model) -> None:
        self._held = held

    @property
    def file(self) -> str:
        return self._held.file

    @property
    def inputs(self) -> dict[str, tuple[int, ...]]:
        """Names and shapes, as the model's file has them."""
        return dict(self._held.inputs)

    @property
    def notes(self) -> list[str]:
        """What is not as the file has it."""
        return self._held.notes

    def __repr__(self) -> str:
        return f'<nvdlac.Model {self.file}: {_shapes(self.inputs)}>'


class Program:
    """A loadable on the simulator."""

    def __init__(self, held: _nvdlac.Program) -> None:
        self._held = held

    @property
    def name(self) -> str:
        return self._held.name

    @property
    def configuration(self) -> Configuration:
        return Configuration._of(self._held.configuration)

    @property
    def inputs(self) -> dict[str, tuple[int, ...]]:
        """Names and shapes, as the model's file has them."""
        return dict(self._held.inputs)

    @property
    def outputs(self) -> dict[str, tuple[int, ...]]:
        return dict(self._held.outputs)

    def run(self, x: Inputs, *, threads: int = 1,
            progress: Progress | None = None) -> np.ndarray | dict[str, np.ndarray]:
        """The network's outputs, bit for bit those of the hardware, as real numbers.

        An array holds one input or several of them, the first dimension being their count, or
        their batch of 1; the result has that dimension where the array has it. Of one input in the
        shape of the model's file, results have the file's shapes, which may begin with no batch.
        Several outputs are a dict by name. With several threads as many inputs are computed at a
        time.
        """
        outputs, doubts = self._held.run(x, threads, progress)
        for doubt in doubts:
            warnings.warn(doubt, DoubtfulInput, stacklevel=2)
        return next(iter(outputs.values())) if len(outputs) == 1 else outputs

    def __repr__(self) -> str:
        return f'<nvdlac.{type(self).__name__} {self.name} for {self.configuration.name}>'


class Product(Program):
    """A network that is compiled for one configuration."""

    def __init__(self, held: _nvdlac.Product, made_for: tuple[Any, dict[str, Any]]) -> None:
        super().__init__(held)
        self._made_for = made_for  # the configuration and the options
        self._report: dict[str, Any] | None = None

    @property
    def inputs(self) -> dict[str, tuple[int, ...]]:
        return dict(self._held.inputs())

    @property
    def outputs(self) -> dict[str, tuple[int, ...]]:
        return dict(self._held.outputs())

    @property
    def cycles(self) -> int:
        """Of NVDLA's clock, as predicted, for one run of the loadable."""
        return self._held.cycles

    @property
    def notes(self) -> list[str]:
        """What the command line would have said: notes and warnings."""
        return self._held.notes

    @property
    def report(self) -> dict[str, Any]:
        """What `nvdlac compile --report` writes (docs/schema)."""
        if self._report is None:
            self._report = json.loads(self._held.report())
        return self._report

    @property
    def layers(self) -> list[dict[str, Any]]:
        """The layers of the hardware: a record for each."""
        return self.report['layers']

    @property
    def scales(self) -> dict[str, Any]:
        """The scale table, as `nvdlac compile --scales-out` writes it."""
        return json.loads(self._held.scales())

    @property
    def network(self) -> list[dict[str, Any]]:
        """The float network behind the passes: a record for each layer, producers first, with its
        `name`, `operator`, `inputs`, `shape` (channels, height, width), whether it is an `output`,
        and the operator's members in `fields`, weights as arrays."""
        return self._held.network()

    @property
    def integers(self) -> list[dict[str, Any]]:
        """The integer network, which the hardware computes exactly: records as of `network`, and
        what the numbers stand for: `scale` * `gain` of the channel * (number - `zero`)."""
        return self._held.integers()

    @property
    def loadable(self) -> bytes:
        return self._held.loadable

    def save(self, path: str | os.PathLike) -> None:
        """Writes the loadable, whole or not at all."""
        self._held.save(os.fspath(path))

    @property
    def schedule(self) -> dict[str, Any]:
        """What the compiler chose, as `nvdlac compile --save-schedule` writes it: in a file, the
        option `schedule` of `compile` takes it."""
        return json.loads(self._held.schedule())

    @property
    def overlay(self) -> dict[str, dict[str, Any]]:
        """Node data for Google's Model Explorer, as `nvdlac compile --overlay` writes them, by what
        they tell: `cycles`, `unit`, `limit`, `bytes`, `scale`, `became`."""
        return {what: json.loads(data) for what, data in self._held.overlay()}

    def save_trace(self, path: str | os.PathLike, x: Inputs, *, format: str = 'nvtrace',
                   layers: bool = False, progress: Progress | None = None) -> None:
        """Writes the register trace of one run, and beside it the memory that it expects, as
        `nvdlac compile --trace` does; `format` is nvtrace, public, c or uio. With `layers` it
        compares what each tensor's layers have written, so that a difference names the layer."""
        self._held.save_trace(os.fspath(path), x, format, layers, progress)

    def verify(self, x: Inputs, labels: Iterable[int] | None = None, *, layers: int = 32,
               progress: Progress | None = None) -> Verification:
        """Runs the float network and the program on the inputs and compares them.

        `labels` are the right classes, if they are known; the errors of every layer are measured
        on the first `layers` inputs. Each run is compared bit for bit with the exact integers.
        """
        right = [] if labels is None else [int(label) for label in labels]
        return Verification(json.loads(self._held.verify(x, right, layers, progress)))

    def page(self) -> str:
        """The page of `nvdlac compile --html`."""
        return self._held.page()

    def _repr_html_(self) -> str:
        return _framed(self.page())

    def frame(self):
        """The layers as a pandas.DataFrame; numbers of cycles are columns of their own."""
        return _frame(self.layers)


class Verification:
    """What `Product.verify` found."""

    def __init__(self, report: dict[str, Any]) -> None:
        self.report = report  # what `nvdlac verify --json` prints

    @property
    def _of_program(self) -> dict[str, Any]:
        return self.report['configs'][0]

    @property
    def inputs(self) -> list[dict[str, Any]]:
        """A record for each input: its name, the first class in float and of the program
        (`float_class`, `class`), the `label` where it is known, whether its run was exact
        (`bit_exact`), and errors of the outputs."""
        return self._of_program['each']

    @property
    def layers(self) -> list[dict[str, Any]]:
        """A record for each layer: its signal to noise in decibels (`snr`; None: no noise), and
        that of its own integers alone (`snr_of_its_own`)."""
        return self.report.get('layers', [])

    @property
    def outputs(self) -> list[dict[str, Any]]:
        """A record for each output: errors over all inputs."""
        return self._of_program['outputs']

    @property
    def same_class(self) -> float:
        """Of all inputs, those whose first class is that of the float network."""
        return self._of_program['same_class'] / self.report['inputs']

    @property
    def accuracy(self) -> float | None:
        """Of all inputs, those whose first class is right; None without labels."""
        right = self._of_program.get('right')
        return None if right is None else right / self.report['inputs']

    @property
    def float_accuracy(self) -> float | None:
        """The same of the float network."""
        right = self.report.get('float_right')
        return None if right is None else right / self.report['inputs']

    def changed(self) -> list[dict[str, Any]]:
        """The inputs whose first class is not that of the float network."""
        return [row for row in self.inputs if row['class'] != row['float_class']]

    def frame(self):
        """The inputs as a pandas.DataFrame."""
        return _frame(self.inputs)

    def __repr__(self) -> str:
        count = self.report['inputs']
        words = f'{count} {"input" if count == 1 else "inputs"}, same class {self.same_class:.2%}'
        if self.accuracy is not None:
            words += f', right {self.accuracy:.2%} (float {self.float_accuracy:.2%})'
        return f'<nvdlac.Verification {self.report["network"]}: {words}>'


class Exploration:
    """What `explore` predicted."""

    def __init__(self, report: dict[str, Any]) -> None:
        self.report = report

    @property
    def points(self) -> list[dict[str, Any]]:
        """A record for each configuration that runs the network, with the members of the ranges.
        `area`, in square millimetres, and `energy` of a run, in microjoules, are estimates by the
        source that `report['estimate']` names."""
        members = self.report['members']
        return [{**dict(zip(members, point['values'])),
                 **{key: point[key] for key in point if key not in ('values', 'header')}}
                for point in self.report['points']]

    @property
    def front(self) -> list[dict[str, Any]]:
        """Those of which no other one has as few cycles, MACs, bytes of CBUF, bits of bus, and
        lanes of SDP, PDP and CDP."""
        return [point for point in self.points if point['front']]

    def frame(self):
        """The points as a pandas.DataFrame."""
        return _frame(self.points)


def read(model: Any, weights: str | os.PathLike | None = None, *, name: str | None = None,
         example_inputs: Any = None, progress: Progress | None = None,
         **options: Unpack[ReadOptions]) -> Model:
    """Reads a network of any format that the command line reads.

    `model` is a path; the bytes of a file; an onnx.ModelProto, or what else has
    SerializeToString(); or a torch.nn.Module with `example_inputs`, which PyTorch's own exporter
    makes ONNX of. `weights` is the second file of formats that have two; `name` is what messages
    and the program call what is no file.
    """
    content = None
    if isinstance(model, (bytes, bytearray, memoryview)):
        content = bytes(model)
    elif hasattr(model, 'SerializeToString'):
        content = model.SerializeToString()
    elif example_inputs is not None:
        content = _exported(model, example_inputs)
    file = (name or 'model.onnx') if content is not None else os.fspath(model)
    return Model(_nvdlac.read(file, content, '' if weights is None else os.fspath(weights),
                              options, progress))


def compile(model: Any, config: str | Configuration, *, calibration: Inputs | None = None,
            progress: Progress | None = None, **options: Unpack[CompileOptions]) -> Product:
    """Compiles a model, or what `read` takes, for one configuration.

    `calibration` are typical inputs, from which the scales of integers come: arrays, files or
    folders. The options are those of `nvdlac compile`; `nvdlac.options()` lists them.
    """
    model, options = _read_with(model, options)
    config = _held(config)
    return Product(_nvdlac.compile(model._held, config, calibration, options, progress),
                   (config, options))


def load(loadable: bytes | str | os.PathLike,
         config: str | Configuration | None = None) -> Program:
    """The program in a loadable, which names its configuration if `nvdlac` has written it."""
    if isinstance(loadable, (bytes, bytearray, memoryview)):
        return Program(_nvdlac.load(bytes(loadable), '', _held(config)))
    file = os.fspath(loadable)
    with open(file, 'rb') as stream:
        return Program(_nvdlac.load(stream.read(), file, _held(config)))


def explore(model: Any, config: str | Configuration, ranges: Mapping[str, Iterable[int]], *,
            calibration: Inputs | None = None, progress: Progress | None = None,
            **options: Unpack[CompileOptions]) -> Exploration:
    """Predicts the network on all legal configurations that have a value of each range, and else
    what `config` has: `explore(model, 'nv_small', {'mac_atomic_c': [8, 16], ..})`."""
    model, options = _read_with(model, options)
    values = [(member, [int(value) for value in given]) for member, given in ranges.items()]
    return Exploration(json.loads(_nvdlac.explore(model._held, _held(config), values, calibration,
                                                  options, progress)))


def options(of: str = 'compile') -> list[dict[str, Any]]:
    """The options of `compile` (and of `explore`), or of `read`: a record for each, with its
    `name`, `value`, `choices`, `group` and `description`."""
    if of not in ('compile', 'read'):
        raise ValueError(f"there are options of 'compile' and of 'read', not of '{of}'")
    return _nvdlac.compile_options() if of == 'compile' else _nvdlac.reading_options()


def show_progress() -> Progress:
    """What shows progress as a bar, by tqdm where that is installed: `progress=show_progress()`."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return lambda what, done, all: print(
            f'\r{what} {done}/{all} ' if all else f'\r{what} ', end='', flush=True)
    bars: dict[str, Any] = {}

    def show(what: str, done: int, all: int) -> None:
        bar = bars.setdefault(what, tqdm(desc=what, leave=False) if what not in bars else None)
        bar.total = all or None
        bar.update(done - bar.n)

    return show


def _held(config: Any) -> Any:
    return config._held if isinstance(config, Configuration) else config


def _read_with(model: Any, options: dict[str, Any]) -> tuple[Model, dict[str, Any]]:
    """The model, which options of `read` may read, and the other options."""
    of_reading = {option['name'] for option in _nvdlac.reading_options()}
    given = {key: value for key, value in options.items() if key in of_reading}
    rest = {key: value for key, value in options.items() if key not in of_reading}
    if not isinstance(model, Model):
        return read(model, **given), rest
    if given:
        raise TypeError(f"{', '.join(given)}: an option of nvdlac.read, which has read this model")
    return model, rest


def _exported(module: Any, example_inputs: Any) -> bytes:
    import io

    import torch
    if not isinstance(example_inputs, tuple):
        example_inputs = (example_inputs,)
    stream = io.BytesIO()
    # The exporter that needs no more than PyTorch, where there is another one.
    traced = 'dynamo' in inspect.signature(torch.onnx.export).parameters
    training = module.training
    try:
        torch.onnx.export(module.eval(), example_inputs, stream,
                          **({'dynamo': False} if traced else {}))
    finally:
        module.train(training)
    return stream.getvalue()


def _shapes(forms: Mapping[str, tuple[int, ...]]) -> str:
    return ', '.join(f'{name} {"x".join(map(str, shape))}' for name, shape in forms.items())


def _frame(records: list[dict[str, Any]]):
    import pandas
    return pandas.json_normalize(records)


def _framed(page: str) -> str:
    """A page within another one, of which it knows nothing."""
    import html
    return (f'<iframe srcdoc="{html.escape(page)}" width="100%" height="800" '
            'style="border:0"></iframe>')


def _with_options(function: Any, of: str) -> None:
    """Lets help() and editors know the options of a function."""
    known = options(of)
    words = [f'    {option["name"]}: {option["description"]}' for option in known]
    function.__doc__ = f'{function.__doc__}\n\n    Options:\n' + '\n'.join(words)
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    more = [inspect.Parameter(option['name'], inspect.Parameter.KEYWORD_ONLY, default=None)
            for option in known]
    function.__signature__ = signature.replace(parameters=own + more)


for _function, _of in ((read, 'read'), (compile, 'compile'), (explore, 'compile')):
    _with_options(_function, _of)

# The configurations of the module by name.
configurations: dict[str, Configuration] = {
    held.name: Configuration._of(held) for held in _nvdlac.configurations()}
