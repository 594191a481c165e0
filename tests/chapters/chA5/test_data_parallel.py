"""Processes that work as one: what a task in each gives, a ring, a shared batch, a dead one."""

import os
import re
import subprocess
import sys

import pytest
import torch
import torch.distributed as dist
import torch.nn.functional as F

from attention.gpt import GPT, Config
from attention.training import cross_entropy
from chapters.chA5 import processes
from chapters.chA5.communication import (
    all_reduce_bytes,
    min_tokens_to_overlap,
    ring_bytes,
    tensor_parallel_bytes,
)
from chapters.chA5.data_parallel import (
    data_parallel_gradients,
    gradients,
    join_group,
    ring_part,
    shard,
)
from chapters.chA5.processes import in_processes
from chapters.chA5.ring import ring_attention
from tests.chapters.chA5 import data_parallel_process
from tests.conftest import HANG, ROOT, answer

T, D, DV = 4, 5, 7  # of each part


@pytest.fixture(autouse=True)
def _the_others_have_time_to_speak(monkeypatch):
    monkeypatch.setattr(processes, "GRACE", HANG)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("n_processes", [1, 2, 3])
def test_a_ring_gives_what_one_process_gives(n_processes, causal):
    shapes = [(2, 3, n_processes * T, D)] * 2 + [(2, 3, n_processes * T, DV)] * 2
    q, k, v, d_out = (torch.randn(*shape, dtype=torch.float64) for shape in shapes)
    parts = in_processes(n_processes, ring_part, q, k, v, d_out, causal, 3)
    whole = [x.clone().requires_grad_() for x in (q, k, v)]
    out = F.scaled_dot_product_attention(*whole, is_causal=causal)
    out.backward(d_out)
    for mine, wanted in zip(
        zip(*parts, strict=True), [out, *(x.grad for x in whole)], strict=True
    ):
        torch.testing.assert_close(torch.cat(mine, dim=-2), wanted)


@pytest.mark.parametrize("n_sends", [0, 1, 3])  # first, on the way, and in the backward
def test_the_others_end_with_a_sentence_if_one_dies(n_sends):
    with pytest.raises(RuntimeError) as found:
        in_processes(3, data_parallel_process.die, n_sends)
    said = str(found.value)
    assert "process 1 ended without a word (status 7)" in said
    for rank in (0, 2):
        assert f"process {rank} of 3: expected keys from process {(rank - 1) % 3}" in said
    assert said.count("perhaps it has died: read its message, and start all processes again") == 2


def test_uneven_parts_are_a_sentence():
    with pytest.raises(RuntimeError, match="expected the same shapes in every process") as found:
        in_processes(2, data_parallel_process.uneven)
    assert str(found.value).count("cut the text into equal parts, or pad it") == 2


@pytest.mark.weekly  # three starts of torch; the same functions run in processes above
def test_torchrun_starts_them_and_all_end_if_one_dies():
    """In one start, as each process of it imports torch; the others speak."""
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command = [*torchrun, "--nproc-per-node", "2", data_parallel_process.__file__]
    packages = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    environment = os.environ | {"PYTHONPATH": packages, "OMP_NUM_THREADS": "1"}
    found = subprocess.run(command, capture_output=True, text=True, env=environment)
    said = re.findall(r"process (\d) of 2, (.*): (.*) from one process's", found.stdout)
    kinds = ("data-parallel gradients", "ring attention")
    assert sorted(line[:2] for line in said) == [(rank, kind) for rank in "01" for kind in kinds]
    assert all(float(difference) < 1e-12 for *_, difference in said)
    assert found.returncode != 0
    assert "perhaps it has died: read its message, and start all processes again" in found.stderr
    assert re.search(r"exitcode\s*: 7", found.stderr), found.stderr


@pytest.mark.parametrize("n_processes", [1, 2, 3])
def test_the_bytes_that_are_sent_are_those_by_formula(n_processes):
    x = torch.zeros(12, 5)  # four bytes a number
    forward = ring_bytes(12, 5, n_processes, 4)
    backward = 2 * 2 * (12 // n_processes) * 5 * 4 * n_processes if n_processes > 1 else 0
    for counted in in_processes(n_processes, data_parallel_process.sent, x, x, x, x):
        assert counted == (forward, forward + backward)
    assert answer("A5.sent_bytes")(12, 5, n_processes, 4) == forward


def test_parts_that_hide_the_sending_compute_for_as_long():
    t = min_tokens_to_overlap(64, 16, 1e6, 1e3)
    assert 4 * t**2 * 64 / 1e6 == pytest.approx(2 * 2 * t * 16 / 1e3), "two bytes a number"


def test_sums_are_sent_about_twice_whatever_the_number_of_machines():
    assert all_reduce_bytes(100, 1) == 0 and all_reduce_bytes(100, 2) == 200
    assert all_reduce_bytes(100, 1000) == pytest.approx(400, rel=1e-2)
    assert tensor_parallel_bytes(10, 5, 3, 2) == 4 * 3 * all_reduce_bytes(50, 2)


def test_without_a_group_it_says_what_to_do():
    x = torch.zeros(1, 2, 3)
    with pytest.raises(RuntimeError, match="expected a process group, got none; start.*torchrun"):
        ring_attention(x, x, x)


def rank_and(*given):
    return dist.get_rank(), given


def raises():
    if dist.get_rank() == 1:
        raise ValueError("there is no time")
    dist.barrier()


def test_each_process_gives_what_the_task_returns():
    assert in_processes(3, rank_and, 1, "two") == [(rank, (1, "two")) for rank in range(3)]


def test_what_goes_wrong_in_one_is_said():
    with pytest.raises(RuntimeError, match="process 1 said: ValueError: there is no time"):
        in_processes(2, raises)
    with pytest.raises(RuntimeError, match=r"process 0 ended without a word \(status 7\)"):
        in_processes(1, os._exit, 7)


def test_a_task_of_a_notebook_is_refused():
    def task(): ...

    task.__module__ = "__main__"
    with pytest.raises(ValueError, match="expected a function of a module, got task.*to a file"):
        in_processes(2, task)
    with pytest.raises(ValueError, match="n_processes: expected 1 or more, got 0"):
        in_processes(0, rank_and)


@pytest.fixture(scope="module")
def batch():
    torch.manual_seed(0)
    model = GPT(Config(11, 5, n_layer=2, n_head=2, n_embd=12)).double()
    for p in model.parameters():  # also those that start at 0 have gradients
        torch.nn.init.normal_(p, std=0.3)
    return model, *torch.randint(11, (2, 6, 5))


@pytest.mark.parametrize("n_processes", [2, 3])
def test_shared_gradients_are_one_process_s(batch, n_processes):
    model, x, y = batch
    cross_entropy(model(x), y).backward()
    wanted = {name: p.grad for name, p in model.named_parameters()}
    model.zero_grad()
    torch.testing.assert_close(gradients(model, x, y), wanted)
    assert all(gradient.abs().max() > 0 for gradient in wanted.values())
    for found in in_processes(n_processes, data_parallel_gradients, model, x, y):
        torch.testing.assert_close(found, wanted)


def test_shards_are_equal_or_refused(batch):
    model, x, y = batch
    with pytest.raises(RuntimeError, match="expected a length that 2 processes can share equally"):
        in_processes(2, data_parallel_gradients, model, x[:5], y[:5])
    parts = in_processes(3, shard, torch.arange(12).view(2, 6), 1)
    torch.testing.assert_close(torch.cat(parts, dim=1), torch.arange(12).view(2, 6))


def test_without_torchrun_the_program_says_what_to_do():
    with pytest.raises(
        RuntimeError, match=re.escape("torchrun --nproc-per-node 2 -m chapters.chA5.data_parallel")
    ):
        join_group()
