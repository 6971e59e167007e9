import { ManualClock } from '@apiserver/apimachinery/testing';
import type { CompressedRun } from '@apiserver/apiserver-contracts';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { KeptForms } from './kept-forms.js';
import { runsOf as dividedInto, type RunMember } from './list-runs.js';

const runsOf = (...given: Parameters<typeof dividedInto>) => [...dividedInto(...given)];

interface Item extends RunMember {
  readonly id: number;
}
let ids = 0;
const item = (byteLength: number, isCached = true): Item => ({ byteLength, isCached, run: undefined, id: ids++ });
const items = (count: number, byteLength = 1024) => Array.from({ length: count }, () => item(byteLength));
const newBound = () => new KeptForms(new ManualClock(), 2 ** 30);
const compressed = (length: number): CompressedRun => ({ deflated: Buffer.alloc(length), length, checksum: 0 });

test('any list of changing objects is divided completely, and a kept run has the members that it was made of', () => {
  const change = fc.record({
    from: fc.nat(400),
    to: fc.nat(400),
    at: fc.nat(400),
    how: fc.constantFrom('replace', 'remove', 'insert', 'insert foreign'),
    size: fc.nat(70_000),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const bound = newBound();
      const state = items(300);
      for (const { from, to, at, how, size } of changes) {
        const list = state.slice(Math.min(from, to), Math.max(from, to));
        let next = 0;
        for (const run of runsOf(list, bound)) {
          const members = list.slice(next, next + run.count).map(({ id }) => id);
          const kept = run.compressed('form');
          if (kept === undefined) {
            run.keep('form', { ...compressed(1), deflated: Buffer.from(JSON.stringify(members)) });
          } else expect(JSON.parse(Buffer.from(kept.deflated).toString())).toEqual(members);
          next += run.count;
        }
        expect(next).toBe(list.length);
        expect(list.some(({ isCached, run }) => run !== undefined && !isCached)).toBe(false);
        const [left] = how.startsWith('insert')
          ? state.splice(at, 0, item(size, how === 'insert'))
          : state.splice(at, 1);
        left?.run?.clear();
        if (how === 'replace') state.splice(at, 0, item(size));
      }
    }),
  );
});

describe('runs', () => {
  it('are found again by lists that begin elsewhere', () => {
    const bound = newBound();
    const all = items(1000);
    const whole = new Set(runsOf(all, bound));
    const page = runsOf(all.slice(100, 600), bound);
    expect(page.filter((run) => whole.has(run)).length).toBeGreaterThanOrEqual(6);
  });

  it('change only around a changed object', () => {
    const bound = newBound();
    const all = items(1000);
    const before = new Set(runsOf(all, bound));
    all.splice(500, 1, item(1024));
    const after = runsOf(all, bound);
    expect(after.filter((run) => !before.has(run)).length).toBeLessThanOrEqual(2);
  });

  it('do not become short by insertions between them', () => {
    const bound = newBound();
    const all = items(64 * 4);
    runsOf(all, bound);
    for (let i = 0; i < 40; i++) {
      all.splice(64, 0, item(1024));
      runsOf(all, bound);
    }
    expect(runsOf(all, bound).length).toBeLessThanOrEqual(8);
  });

  it('are not left cut to pieces by pages', () => {
    const bound = newBound();
    const all = items(500);
    for (let limit = 1; limit < 100; limit++) runsOf(all.slice(0, limit), bound);
    expect(runsOf(all, bound).length).toBeLessThanOrEqual(40);
  });

  it('keep one value of each form, counted by the bound until a member changes', () => {
    const bound = newBound();
    const [run] = runsOf(items(3), bound);
    run?.keep('a', compressed(10));
    run?.keep('a', compressed(11));
    run?.keep('b', compressed(5));
    const kept = [run?.compressed('a')?.length, run?.compressed('b')?.length, run?.compressed('c'), bound.bytes];
    run?.clear();
    expect([kept, run?.compressed('a'), bound.bytes]).toEqual([[10, 5, undefined, 15], undefined, 0]);
  });
});
