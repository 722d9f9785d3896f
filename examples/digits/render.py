# SPDX-License-Identifier: Apache-2.0
"""Renders digits as a pen would write them: 28x28 grey, white on black, centred by mass.

A digit is a few strokes through control points in the unit square (x to the right, y down). Each
drawing shakes the points, bends the page (rotation, shear, aspect), and chooses a pen.
"""
import numpy as np
from PIL import Image, ImageDraw

# Every digit in the ways people write it: strokes divided by '/', points by blanks, 'x,y' in 1/10.
SHAPES = {
    0: ['5,0 2,1 0,5 2,9 5,10 8,9 10,5 8,1 5,0', '6,0 3,1 2,5 3,9 5,10 7,9 8,5 7,1 5,0 4,1'],
    1: ['5,0 5,5 5,10', '3,2 5,0 5,0 5,5 5,10', '6,0 5,5 4,10', '3,2 5,0 5,0 5,10 5,10/3,10 7,10'],
    2: ['1,3 2,1 5,0 8,1 8,4 5,7 1,10 1,10 5,10 9,10', '1,2 4,0 8,1 8,4 4,8 2,9 1,8 3,8 6,9 10,9',
        '1,2 5,0 9,2 7,5 3,8 0,10 0,10 10,10'],
    3: ['1,1 5,0 8,1 8,4 4,5 4,5 8,6 9,8 6,10 1,9', '1,0 5,0 9,0 9,0 5,4 5,4 9,6 8,9 4,10 0,9',
        '2,1 6,0 8,2 7,4 4,5 7,5 9,7 7,10 4,10 1,8'],
    4: ['2,0 1,5 1,6 5,6 9,6/8,0 7,5 7,10', '7,0 4,3 0,7 0,7 5,7 10,7/7,0 7,5 7,10',
        '1,0 1,3 3,5 8,4/9,0 8,4 7,10'],
    5: ['2,0 2,4 2,4 6,4 9,6 8,9 4,10 1,9/2,0 8,0', '9,0 3,0 3,0 2,4 2,4 6,4 8,6 7,9 3,10 0,9'],
    6: ['7,0 3,3 1,7 3,10 7,9 8,7 6,5 3,6 1,8', '5,0 2,4 1,8 4,10 7,9 7,7 4,6 1,8',
        '8,1 5,0 2,3 1,7 4,10 8,9 8,6 5,5 2,7'],
    7: ['0,0 5,0 9,0 9,0 6,5 4,10', '0,1 5,1 9,0 9,0 6,5 4,10/3,5 8,5', '1,2 1,0 1,0 9,0 9,0 5,10'],
    8: ['8,1 5,0 2,1 2,3 5,5 8,7 7,9 4,10 2,9 2,7 5,5 8,3 8,1',
        '5,0 2,2 5,5 8,8 5,10 2,8 5,5 8,2 5,0',
        '5,5 2,3 3,0 7,0 8,3 5,5 5,5 1,8 4,10 6,10 9,8 5,5'],
    9: ['8,2 5,0 2,1 2,4 5,5 8,3 8,2 8,2 8,6 7,10', '8,3 6,0 2,1 1,4 4,5 7,4 8,1 8,1 7,6 5,10',
        '8,1 4,0 2,3 5,5 8,3 8,1 8,1 8,7 6,10 2,9'],
}
SIZE, BOX, FINE = 28, 20, 4  # picture, room for the digit, oversampling


def curve(points, steps=12):
    """The Catmull-Rom curve through the points; a doubled point is a corner."""
    p = np.vstack([points[:1], points, points[-1:]])
    t = np.linspace(0, 1, steps, endpoint=False)[:, None]
    pieces = [0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2
                     + (3 * b - a - 3 * c + d) * t**3)
              for a, b, c, d in zip(p, p[1:], p[2:], p[3:])]
    return np.vstack([*pieces, points[-1:]])


def strokes(digit, random):
    shape = SHAPES[digit][random.integers(len(SHAPES[digit]))]
    shake = random.uniform(0.02, 0.075)
    known = {}  # a point that occurs twice moves once, so corners and closed loops stay so

    def shaken(word):
        if word not in known:
            xy = np.array([float(v) for v in word.split(',')]) / 10 - 0.5
            known[word] = xy + random.normal(0, shake, 2)
        return known[word]

    return [curve(np.array([shaken(w) for w in s.split()])) for s in shape.split('/')]


def page(random):
    """A random linear map: rotation, slant, aspect."""
    angle, slant = random.normal(0, 0.13), random.normal(0.1, 0.2)
    rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.diag([random.uniform(0.55, 1.0), 1.0]) @ np.array([[1, 0], [-slant, 1]]) @ rotation


def digit_image(digit, random):
    """One drawing of `digit`: array (28, 28) of uint8."""
    bent = page(random)
    lines = [line @ bent for line in strokes(digit, random)]
    every = np.vstack(lines)
    low, high = every.min(0), every.max(0)
    pen = random.uniform(1.3, 3.4)
    scale = (BOX - pen) * random.uniform(0.9, 1.05) / max(high - low)
    canvas = Image.new('L', (SIZE * FINE, SIZE * FINE))
    draw = ImageDraw.Draw(canvas)
    for line in lines:
        xy = ((line - (low + high) / 2) * scale + SIZE / 2) * FINE
        width = max(1, round(pen * FINE))
        draw.line([tuple(v) for v in xy], fill=255, width=width)
        for x, y in xy:
            r = width / 2
            draw.ellipse([x - r, y - r, x + r, y + r], fill=255)
    grey = np.asarray(canvas.resize((SIZE, SIZE), Image.BOX), dtype=np.float64)
    centre = [(grey.sum(1 - axis) * np.arange(SIZE)).sum() / grey.sum() for axis in (0, 1)]
    shift = [round((SIZE - 1) / 2 - c + random.normal(0, 0.5)) for c in centre]
    grey = np.roll(grey, shift, (0, 1)) * random.uniform(0.85, 1.15)
    grey += random.normal(0, random.uniform(0, 6), grey.shape) * (random.random() < 0.5)
    return np.clip(np.rint(grey), 0, 255).astype(np.uint8)


def digits(count, seed):
    """`count` pictures (count, 28, 28) and labels (count,), the classes in turn."""
    random = np.random.default_rng(seed)
    labels = np.arange(count) % 10
    return np.stack([digit_image(int(d), random) for d in labels]), labels
