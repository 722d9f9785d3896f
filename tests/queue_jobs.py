#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The queue of `nvdlac sweep` under mpirun and by itself: queue_jobs.py JOB [MPIEXEC]

Runs JOB (queue_job.cpp) alone, with threads and, where MPIEXEC is given, as 1, 2 and 4 ranks: the
results are the same bytes. Then it kills a rank, or the whole job, by SIGKILL at ten random moments
and starts it again: the results are the same, what was in a journal is not done twice, and nothing
else is left.
"""
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

ITEMS, MILLISECONDS = 120, 5
JOB, MPIEXEC = sys.argv[1], sys.argv[2:]
EXPECTED = ''.join(f'item {i}, {i * i}\n' for i in range(ITEMS))
ENVIRONMENT = os.environ | {'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1',
                            'OMPI_MCA_rmaps_base_oversubscribe': '1'}


def start(folder, ranks, threads, log=None, shared=True):
    """ranks 0: without a launcher. In a session of its own, which can be killed as a whole."""
    launcher = [*MPIEXEC, '-n', str(ranks)] if ranks else []
    return subprocess.Popen(
        [*launcher, JOB, folder / 'journal', folder / 'out', str(ITEMS), str(MILLISECONDS),
         str(threads), *([log] if log else [])],
        env=ENVIRONMENT | ({} if shared else {'NVDLAC_SHARED_MEMORY': '0'}),
        start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def finish(job):
    said, _ = job.communicate(timeout=120)
    assert job.returncode == 0, said
    return said


def same(folder, what):
    assert (folder / 'out').read_text() == EXPECTED, f'{what}: other results'
    left = [p.name for p in folder.iterdir() if p.name.startswith('journal')]
    assert not left, f'{what}: {left} are left'
    (folder / 'out').unlink()


def begun(log):
    """By process, the items that it began."""
    return {int(p.name): p.read_text().split() for p in log.iterdir()}


def recorded(folder):
    """Numbers of the items in the journals; a line that is not whole does not count."""
    found = []
    for path in folder.glob('journal-*'):
        lines = path.read_text().split('\n')[1:-1]
        found += [line.split()[1] for line in lines]
    return found


def kill(job, log, whole):
    if whole or not MPIEXEC:
        os.killpg(job.pid, signal.SIGKILL)
    processes = list(begun(log))
    if processes and not whole:
        try:
            os.kill(random.choice(processes), signal.SIGKILL)
        except ProcessLookupError:
            pass
    job.communicate(timeout=60)
    for process in processes if whole else []:  # ranks stand in process groups of their own
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass


def killed(folder, round_number):
    ranks, threads = (random.choice([1, 2, 4]), random.choice([1, 2])) if MPIEXEC else (0, 2)
    log = folder / f'log{round_number}'
    log.mkdir()
    job = start(folder, ranks, threads, log)
    end = time.monotonic() + 60
    while not any(begun(log).values()) and time.monotonic() < end:
        time.sleep(0.002)
    time.sleep(random.uniform(0, ITEMS * MILLISECONDS / 1000))
    kill(job, log, whole=round_number % 2 == 0)
    if job.returncode == 0:  # it was quicker
        same(folder, 'a job that was not killed')
        return
    done = recorded(folder)
    assert len(done) == len(set(done)), 'an item is there twice'
    again = folder / f'again{round_number}'
    again.mkdir()
    finish(start(folder, 4 if MPIEXEC else 0, 1, again))
    twice = set(done) & {i for items in begun(again).values() for i in items}
    assert not twice, f'items {sorted(twice)} were done twice'
    same(folder, f'{ranks} ranks of {threads} threads, killed')
    return len(done)


def main():
    seed = random.randrange(2**32)
    random.seed(seed)
    print(f'seed {seed}')
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for ranks, threads in [(0, 1), (0, 4)] + ([(1, 1), (2, 1), (4, 2)] if MPIEXEC else []):
            finish(start(folder, ranks, threads))
            same(folder, f'{ranks} ranks of {threads} threads')
        if MPIEXEC:
            finish(start(folder, 4, 2, shared=False))
            same(folder, 'ranks that do not share memory')
        print('items done when it was killed:', *(killed(folder, i) for i in range(10)))


main()
