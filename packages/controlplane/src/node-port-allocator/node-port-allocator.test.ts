import type { RangeAllocation } from '@apiserver/api/core/v1';
import { createFakeStorage } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { ServiceNodePortAllocator } from './node-port-allocator.js';
import { PortBitmap } from './port-bitmap.js';
import { formatPortRange, parsePortRange } from './port-range.js';
import { type PortRangeRegistry, storedPortRange } from './stored-port-range.js';

describe('range', () => {
  it.each([
    ['30000-32767', 30_000, 2768, '30000-32767'],
    ['30000+9', 30_000, 10, '30000-30009'],
    [' 80 ', 80, 1, '80-80'],
    ['', 0, 0, ''],
  ])('%j', (text, base, size, printed) => {
    const range = parsePortRange(text);
    expect([range, formatPortRange(range)]).toEqual([{ base, size }, printed]);
  });

  it.each([
    ['a-b', 'strconv.Atoi: parsing "a": invalid syntax'],
    ['1-', 'strconv.Atoi: parsing "": invalid syntax'],
    ['-1', 'strconv.Atoi: parsing "": invalid syntax'],
    ['1+2-3', 'unable to parse port range: 1+2-3'],
    ['1--2', 'end port cannot be less than start port: 1--2'],
    ['99999999999999999999', 'strconv.Atoi: parsing "99999999999999999999": value out of range'],
    ['5-4', 'end port cannot be less than start port: 5-4'],
    ['1-70000', 'the port range cannot be greater than 65535: 1-70000'],
  ])('%j is refused', (text, message) => {
    expect(() => parsePortRange(text)).toThrow(message);
  });
});

describe('bitmap', () => {
  it.each<[number[], string]>([
    [[], ''],
    [[0], 'AQ=='],
    [[8], 'AQA='],
    [[0, 9, 23], 'gAIB'],
  ])("of %j is %j, as Go's big.Int", (offsets, data) => {
    const bitmap = PortBitmap.empty(24);
    expect(offsets.map((offset) => bitmap.take(offset))).toEqual(offsets.map(() => true));
    expect(offsets.map((offset) => bitmap.take(offset))).toEqual(offsets.map(() => false));
    expect([bitmap.toBase64(), bitmap.taken(), PortBitmap.fromBase64(24, data).taken()]).toEqual([
      data,
      offsets,
      offsets,
    ]);
    for (const offset of offsets) bitmap.release(offset);
    expect(bitmap.toBase64()).toBe('');
  });

  it('lists no offset beyond a size that ends within a byte', () => {
    const full = Buffer.alloc(2, 0xff).toString('base64');
    expect(PortBitmap.fromBase64(10, full).taken()).toEqual(Array.from({ length: 10 }, (_, offset) => offset));
  });
});

/** A port range registry in which nothing is stored yet. */
async function emptyRegistry(range: string): Promise<PortRangeRegistry> {
  const registry = storedPortRange(createFakeStorage<RangeAllocation>());
  await registry.replace(undefined, { range, data: '' });
  return registry;
}

async function allocatorOf(range: string, random: (bound: number) => number = () => 0, shared?: PortRangeRegistry) {
  const counted: string[] = [];
  const registry = shared ?? (await emptyRegistry(range));
  const metrics = {
    allocated: (scope: string) => counted.push(`allocated ${scope}`),
    failed: (scope: string) => counted.push(`failed ${scope}`),
    changed: (taken: number, free: number) => counted.push(`${taken} ${free}`),
  };
  const allocator = new ServiceNodePortAllocator({ range: parsePortRange(range), registry, random, metrics });
  return { allocator, registry, counted };
}

describe('allocator', () => {
  it.each([
    ['30000-32767', 30_086],
    ['30000-30031', 30_016],
    ['30000-30009', 30_000],
    ['1000-65535', 1128],
  ])('of %s allocates %i first', async (range, first) => {
    const { allocator } = await allocatorOf(range);
    expect(await allocator.allocateNext()).toBe(first);
  });

  it('allocates each port once, and then reports that none is left', async () => {
    const { allocator } = await allocatorOf('30000-30019', (bound) => bound - 1);
    const given: number[] = [];
    for (let i = 0; i < 20; i++) given.push(await allocator.allocateNext());
    expect(given.slice(0, 6)).toEqual([30_019, 30_016, 30_017, 30_018, 30_015, 30_000]);
    expect(new Set(given).size).toBe(20);
    await expect(allocator.allocateNext()).rejects.toThrow('range is full');
    await allocator.release(30_003);
    expect(await allocator.allocateNext()).toBe(30_003);
  });

  it('allocates a specific port once', async () => {
    const { allocator, counted } = await allocatorOf('30000-32767');
    await allocator.allocate(31_000);
    expect([allocator.has(31_000), allocator.has(31_001)]).toEqual([true, false]);
    await expect(allocator.allocate(31_000)).rejects.toThrow('provided port is already allocated');
    await expect(allocator.allocate(80)).rejects.toThrow(
      'provided port is not in the valid range. The range of valid ports is 30000-32767',
    );
    expect(counted).toEqual(['allocated static', '1 2767', 'failed static', 'failed static']);
  });

  it('shares the range with other servers', async () => {
    const one = await allocatorOf('30000-30015');
    const two = await allocatorOf('30000-30015', () => 0, one.registry);
    const given = await Promise.all(
      Array.from({ length: 16 }, (_, i) => (i % 2 === 0 ? one : two).allocator.allocateNext()),
    );
    expect(new Set(given).size).toBe(16);
    await expect(two.allocator.allocateNext()).rejects.toThrow('range is full');
    await one.allocator.release(30_007);
    expect(await two.allocator.allocateNext()).toBe(30_007);
  });

  it.each<[string, Promise<PortRangeRegistry>, string]>([
    ['nothing is stored', Promise.resolve(storedPortRange(createFakeStorage())), 'at this time'],
    ['another range is stored', emptyRegistry('1-2'), 'the provided range does not match the current range'],
  ])('refuses while %s', async (_when, registry, message) => {
    const { allocator } = await allocatorOf('30000-30015', () => 0, await registry);
    const refusal = { isAllocationError: true, message: expect.stringContaining(message) };
    await expect(allocator.allocateNext()).rejects.toMatchObject(refusal);
    await expect(allocator.allocate(30_001)).rejects.toMatchObject(refusal);
  });

  it('is replaced by only one server', async () => {
    const { registry } = await allocatorOf('30000-30015');
    const read = await registry.read();
    await registry.replace(read, { range: '30000-30015', data: 'AQ==' });
    const conflict = { status: { reason: 'Conflict' } };
    await expect(registry.replace(read, { range: '30000-30015', data: 'Ag==' })).rejects.toMatchObject(conflict);
    await expect(registry.replace(undefined, { range: '30000-30015', data: '' })).rejects.toMatchObject(conflict);
    expect(await registry.read()).toMatchObject({ data: 'AQ==' });
  });
});
