import { expect, test } from '@playwright/test';
import { randomFrom } from '../../testing/limiter-simulators/test-kit.js';
import { argsort } from './request-intervals.js';

test('positions are sorted as a stable sort does, all of them or some', () => {
  const random = randomFrom(9);
  for (let length = 0; length < 300; length += 1) {
    const keys = Float64Array.from({ length }, (_, at) => Math.floor(random() * 20) + (length % 3) * at);
    const sorted = (places: number[]): number[] => places.sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
    expect([...argsort(keys)]).toEqual(sorted([...keys.keys()]));
    const some = [...keys.keys()].filter(() => random() < 0.5);
    expect([...argsort(keys, Uint32Array.from(some))]).toEqual(sorted(some));
  }
});
