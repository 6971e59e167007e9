import { describe, expect, it } from 'vitest';
import { addressAt, type IPRange, parseIPRange, rangeContains, rangeSize } from './ip-range.js';
import { ServiceIPAllocator } from './service-ip-allocator.js';

const service = { namespace: 'ns', name: 's' };

function range(cidr: string): IPRange {
  const parsed = parseIPRange(cidr);
  if (parsed === undefined) throw new Error(`${cidr} is no range`);
  return parsed;
}

/** Always from the start of what it may choose from. */
const lowest = () => 0;

describe('range', () => {
  it.each<[string, [string, string, string, bigint]]>([
    ['10.0.0.0/24', ['10.0.0.1', '10.0.0.17', '10.0.0.254', 254n]],
    ['10.0.0.77/24', ['10.0.0.1', '10.0.0.17', '10.0.0.254', 254n]],
    ['10.0.0.0/28', ['10.0.0.1', '10.0.0.1', '10.0.0.14', 14n]],
    ['10.0.0.0/27', ['10.0.0.1', '10.0.0.17', '10.0.0.30', 30n]],
    ['10.96.0.0/12', ['10.96.0.1', '10.96.1.1', '10.111.255.254', 1_048_574n]],
    ['fd00::/112', ['fd00::1', 'fd00::101', 'fd00::ffff', 65_535n]],
    ['fd00::/64', ['fd00::1', 'fd00::101', 'fd00::ffff:ffff:ffff:ffff', (1n << 64n) - 1n]],
  ])('%s', (cidr, expected) => {
    const made = range(cidr);
    expect([
      addressAt(made, made.first),
      addressAt(made, made.dynamicFirst),
      addressAt(made, made.last),
      rangeSize(made),
    ]).toEqual(expected);
  });

  it.each(['', '10.0.0.0', '10.0.0.0/33', '::ffff:10.0.0.0/120', 'x/8'])('%j is none', (text) => {
    expect(parseIPRange(text)).toBeUndefined();
  });

  it.each([
    ['10.0.0.0', false],
    ['10.0.0.1', true],
    ['10.0.0.254', true],
    ['10.0.0.255', false],
    ['10.0.1.1', false],
    ['fd00::1', false],
    ['x', false],
  ])('of 10.0.0.0/24 contains %s: %s', (address, contained) => {
    expect(rangeContains(range('10.0.0.0/24'), address)).toBe(contained);
  });

  it('that has no address at all has none', () => {
    expect([range('10.0.0.0/31'), range('10.0.0.0/32')].map(rangeSize)).toEqual([0n, 0n]);
  });
});

describe('allocator', () => {
  it('gives dynamic addresses first, then those kept for who names them, each once', async () => {
    const allocator = new ServiceIPAllocator(range('10.0.0.0/27'), lowest);
    const given: string[] = [];
    for (let i = 0; i < 30; i++) given.push(await allocator.allocateNext(service, false));
    expect(given.slice(0, 15)).toEqual(['10.0.0.17', ...given.slice(1, 14), '10.0.0.1']);
    expect(new Set(given).size).toBe(30);
    expect(allocator.free).toBe(0n);
    await expect(allocator.allocateNext(service, false)).rejects.toThrow('range is full');
    await allocator.release('10.0.0.5');
    expect(await allocator.allocateNext(service, false)).toBe('10.0.0.5');
  });

  it('starts anywhere and goes around', async () => {
    const allocator = new ServiceIPAllocator(range('10.0.0.0/28'), (bound) => bound - 1);
    expect(await allocator.allocateNext(service, false)).toBe('10.0.0.14');
    expect(await allocator.allocateNext(service, false)).toBe('10.0.0.1');
  });

  it('draws from ranges that are wider than one random number', async () => {
    const allocator = new ServiceIPAllocator(range('fd00::/64'), (bound) => Math.floor(bound / 3));
    const address = await allocator.allocateNext(service, false);
    expect(rangeContains(allocator.range, address)).toBe(true);
    expect(address).not.toBe('fd00::101');
  });

  it('gives a named address once', async () => {
    const allocator = new ServiceIPAllocator(range('10.0.0.0/24'), lowest);
    await allocator.allocate('10.0.0.9', service, false);
    expect(allocator.holderOf('10.0.0.9')).toEqual(service);
    await expect(allocator.allocate('10.0.0.9', service, false)).rejects.toThrow('provided IP is already allocated');
    await expect(allocator.allocate('10.0.1.9', service, false)).rejects.toThrow(
      'the provided network does not match the current range',
    );
    await allocator.release('10.0.0.9');
    await allocator.release('10.9.9.9');
    expect([...allocator.held()]).toEqual([]);
  });

  it('takes nothing in a dry run', async () => {
    const allocator = new ServiceIPAllocator(range('10.0.0.0/24'), lowest);
    expect(await allocator.allocateNext(service, true)).toBe('10.0.0.0');
    await allocator.allocate('10.0.0.9', service, true);
    await expect(allocator.allocate('10.0.1.9', service, true)).rejects.toThrow(
      'provided IP 10.0.1.9 is not in the valid range',
    );
    expect([...allocator.held()]).toEqual([]);
  });
});
