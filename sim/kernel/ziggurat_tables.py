#!/usr/bin/env python3
"""Prints ziggurat_tables.c: the layers of the two ziggurats, to 50 digits, then rounded to doubles.

A ziggurat of n layers of equal area v under a decreasing density f (here with f(0) = 1) has edges
x[1] = r > x[2] > ... > x[n] = 0 with
    v = r f(r) + integral of f beyond r         (the base strip and the tail)
    f(x[i+1]) = f(x[i]) + v / x[i]              (each layer above it)
and x[0] = v / f(r), the width of a rectangle of the base strip's height and area. r is the number
for which the last layer ends exactly at the top, f(x[n]) = 1; it is found by bisection.
"""
from decimal import Decimal, getcontext

getcontext().prec = 60
LAYERS = 256
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")


def half_normal_tail(x):
    """Integral of exp(-t^2/2) beyond x: sqrt(pi/2) less the power series of the rest."""
    term, total, k = x, x, 1
    while abs(term) > Decimal(10) ** -58:
        term *= x * x / (2 * k + 1)
        total += term
        k += 1
    return (PI / 2).sqrt() - (-x * x / 2).exp() * total


EXPONENTIAL = ("exponential", lambda x: (-x).exp(), lambda y: -y.ln(), lambda x: (-x).exp())
NORMAL = ("normal", lambda x: (-x * x / 2).exp(), lambda y: (-2 * y.ln()).sqrt(), half_normal_tail)


def layers(density, inverse, tail, r):
    """The edges for this r and how far the top of the last layer is above f(0) = 1."""
    v = r * density(r) + tail(r)
    edges, height = [v / density(r), r], density(r)
    for _ in range(LAYERS - 2):
        height += v / edges[-1]
        if height >= 1:
            return None, Decimal(1)
        edges.append(inverse(height))
    return edges + [Decimal(0)], height + v / edges[-1] - 1


def solve(density, inverse, tail):
    low, high = Decimal(2), Decimal(10)
    while high - low > Decimal(10) ** -45:
        r = (low + high) / 2
        if layers(density, inverse, tail, r)[1] > 0:
            low = r  # too much area in each layer: start further out
        else:
            high = r
    return layers(density, inverse, tail, high)[0]


def main():
    print("/* Written by ziggurat_tables.py, which documents the method. */")
    print('#include "sim/kernel/stream.h"\n\n/* clang-format off */')
    for name, density, inverse, tail in (EXPONENTIAL, NORMAL):
        print(f"\nconst double ziggurat_{name}_edges[ZIGGURAT_LAYERS + 1] = {{")
        numbers = [float(edge).hex() for edge in solve(density, inverse, tail)]
        for i in range(0, len(numbers), 4):
            print("    " + ", ".join(numbers[i : i + 4]) + ",")
        print("};")


main()
