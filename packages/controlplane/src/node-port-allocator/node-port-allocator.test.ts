import { describe, expect, it } from 'vitest';
import { ServiceNodePortAllocator } from './node-port-allocator.js';
import { formatPortRange, parsePortRange } from './port-range.js';

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
    ['a-b', 'unable to parse port range: a-b'],
    ['1-', 'unable to parse port range: 1-'],
    ['5-4', 'end port cannot be less than start port: 5-4'],
    ['1-70000', 'the port range cannot be greater than 65535: 1-70000'],
  ])('%j is refused', (text, message) => {
    expect(() => parsePortRange(text)).toThrow(message);
  });
});

describe('allocator', () => {
  it.each([
    ['30000-32767', 30_086],
    ['30000-30031', 30_016],
    ['30000-30009', 30_000],
    ['1000-65535', 1128],
  ])('of %s gives %i first', async (range, first) => {
    expect(await new ServiceNodePortAllocator(parsePortRange(range), () => 0).allocateNext()).toBe(first);
  });

  it('gives each port once, and then says that there is none', async () => {
    const allocator = new ServiceNodePortAllocator(parsePortRange('30000-30019'), (bound) => bound - 1);
    const given: number[] = [];
    for (let i = 0; i < 20; i++) given.push(await allocator.allocateNext());
    expect(given.slice(0, 6)).toEqual([30_019, 30_016, 30_017, 30_018, 30_015, 30_000]);
    expect(new Set(given).size).toBe(20);
    await expect(allocator.allocateNext()).rejects.toThrow('range is full');
    await allocator.release(30_003);
    expect(await allocator.allocateNext()).toBe(30_003);
  });

  it('gives a named port once', async () => {
    const allocator = new ServiceNodePortAllocator(parsePortRange('30000-32767'), () => 0);
    await allocator.allocate(31_000);
    expect([allocator.has(31_000), allocator.has(31_001)]).toEqual([true, false]);
    await expect(allocator.allocate(31_000)).rejects.toThrow('provided port is already allocated');
    await expect(allocator.allocate(80)).rejects.toThrow(
      'provided port is not in the valid range. The range of valid ports is 30000-32767',
    );
  });
});
