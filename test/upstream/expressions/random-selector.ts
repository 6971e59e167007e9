import type { Random } from '../../watch/random.ts';
import { RandomExpression, type TypedPath } from './random-expression.ts';
import { pathsOf } from './typed-paths.ts';

/** Paths into a device. */
const DEVICE: readonly TypedPath[] = pathsOf({
  string: [
    'device.driver',
    'device.attributes["dra.example.com"].name',
    'device.attributes["dra.example.com"]["model"]',
    'device.attributes[device.driver].a',
    'string(device.attributes["dra.example.com"].name)',
  ],
  int: [
    'device.attributes["dra.example.com"].count',
    'int(device.attributes["dra.example.com"].count)',
    'size(device.attributes)',
    'size(device.capacity["dra.example.com"])',
    'size(device.driver)',
  ],
  bool: [
    'device.attributes["dra.example.com"].flag',
    'device.allowMultipleAllocations',
    '"dra.example.com" in device.attributes',
    '"memory" in device.capacity["dra.example.com"]',
    'has(device.attributes["dra.example.com"].flag)',
    'has(device.driver)',
    'device.attributes["dra.example.com"].all(k, k != "")',
    'device.attributes.exists(d, d == "x")',
    'device.attributes["dra.example.com"].exists(k, v, v == 1)',
    'device.attributes["dra.example.com"].names.includes("a")',
    'device.driver.includes("a")',
    '[1, 2].includes(1)',
    'cel.bind(dra, device.attributes["dra.example.com"], dra.one && dra.other)',
    'cel.bind(m, device.capacity["dra.example.com"].memory, m.isGreaterThan(quantity("1Gi")))',
    'device.attributes["dra.example.com"].names.exists(n, n == "a")',
    'device == device',
  ],
  quantity: ['device.capacity["dra.example.com"].memory', 'device.capacity[device.driver].cores'],
  semver: ['device.attributes["dra.example.com"].version'],
  strings: [
    'device.attributes.map(d, d)',
    'device.attributes["dra.example.com"].map(k, k)',
    'device.attributes["dra.example.com"].names',
    'device.capacity.map(d, d)',
  ],
  any: [
    'device',
    'device.attributes',
    'device.capacity',
    'device.attributes["dra.example.com"]',
    'device.attributes["dra.example.com"].name',
    'device.missing',
    'kubernetes.DRADevice{driver: "x"}',
  ],
  optionalString: ['device.?driver', 'device.attributes[?"dra.example.com"].?name', 'device.?attributes["x"].?y'],
});

/** A selector of devices, and the features of its environment. */
export interface SelectorCase {
  readonly rule: 'deviceSelector';
  readonly expression: string;
  readonly consumableCapacity: boolean;
  readonly listTypeAttributes: boolean;
}

export function randomSelector(random: Random): SelectorCase {
  const expression = new RandomExpression(random, DEVICE).text(random.chance(0.9) ? 'bool' : 'any');
  return {
    rule: 'deviceSelector',
    expression,
    consumableCapacity: random.chance(0.7),
    listTypeAttributes: random.chance(0.5),
  };
}
