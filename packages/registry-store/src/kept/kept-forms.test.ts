import { ManualClock } from '@apiserver/apimachinery/testing';
import type { WireForm } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { KeptForms } from './kept-forms.js';
import { FormMemory, ObjectForms } from './object-forms.js';

const MINUTE = 60_000;
const PROTOBUF: WireForm = { contentType: 'application/vnd.kubernetes.protobuf', group: '', version: 'v1', kind: 'A' };
const CBOR: WireForm = { ...PROTOBUF, contentType: 'application/cbor' };

function started(leastBytes: number) {
  const clock = new ManualClock();
  const bound = new KeptForms(clock, leastBytes);
  const memory = new FormMemory(bound);
  return { clock, bound, object: () => new ObjectForms(memory) };
}
const isEqual = (found: Uint8Array | undefined, wanted: Buffer) => found !== undefined && wanted.equals(found);
const bytes = (fill: number, length = 100) => Buffer.alloc(length, fill);

describe('kept forms', () => {
  it('are copies, known by the identity of their form', () => {
    const { object, bound } = started(1000);
    const forms = object();
    const given = bytes(1);
    forms.add(PROTOBUF, given);
    forms.add(PROTOBUF, bytes(9));
    forms.add(CBOR, bytes(2, 50));
    given.fill(7);
    expect([
      isEqual(forms.bytes(PROTOBUF), bytes(1)),
      isEqual(forms.bytes(CBOR), bytes(2, 50)),
      forms.bytes({ ...CBOR }),
      bound.bytes,
    ]).toEqual([true, true, undefined, 150]);
  });

  it('end with their object', () => {
    const { object, bound } = started(1000);
    const forms = object();
    forms.add(PROTOBUF, bytes(1));
    forms.add(CBOR, bytes(2));
    const read = forms.bytes(CBOR);
    forms.clear();
    expect([forms.bytes(PROTOBUF), bound.bytes, isEqual(read, bytes(2))]).toEqual([undefined, 0, true]);
  });

  it('are as many as the cached objects, at least', () => {
    const { object, bound } = started(250);
    const add = (count: number) => {
      const all = Array.from({ length: count }, object);
      for (const forms of all) forms.add(PROTOBUF, bytes(1));
      return all.filter((forms) => forms.bytes(PROTOBUF) !== undefined).length;
    };
    const least = add(5);
    bound.countCached(500);
    expect([least, add(10), bound.bytes]).toEqual([2, 3, 500]);
  });

  it('make room for others once nobody has used them for a while', () => {
    const { object, bound, clock } = started(300);
    const [a, b, c, d, e] = [object(), object(), object(), object(), object()];
    for (const forms of [a, b, c]) forms.add(PROTOBUF, bytes(1));
    clock.advance(2 * MINUTE);
    b.bytes(PROTOBUF);
    for (const forms of [d, e, object()]) forms.add(PROTOBUF, bytes(2));
    const present = [a, b, c, d, e].map((forms) => forms.bytes(PROTOBUF)?.[0]);
    expect([present, bound.bytes]).toEqual([[undefined, 1, undefined, 2, 2], 300]);
  });

  it('make room for what is dear at once', () => {
    const { object, bound } = started(300);
    const [a, b] = [object(), object()];
    for (const forms of [a, b]) forms.add(PROTOBUF, bytes(1));
    expect([bound.hasRoom(150), bound.hasRoom(150, true), bound.hasRoom(301, true), bound.bytes]).toEqual([
      false,
      true,
      false,
      0,
    ]);
  });

  it('are dropped when nobody uses them for minutes, however many there are', () => {
    const { object, bound, clock } = started(1e9);
    const all = Array.from({ length: 2500 }, object);
    for (const forms of all) forms.add(PROTOBUF, bytes(1));
    clock.advance(4 * MINUTE);
    all[7]?.bytes(PROTOBUF);
    const before = bound.bytes;
    clock.advance(MINUTE);
    clock.advance(1000);
    const after = bound.bytes;
    clock.advance(5 * MINUTE);
    expect([before, after, bound.bytes]).toEqual([250_000, 100, 0]);
  });

  it('are none after the end', () => {
    const { object, bound } = started(1000);
    bound.stop();
    const forms = object();
    forms.add(PROTOBUF, bytes(1));
    expect([forms.bytes(PROTOBUF), bound.bytes]).toEqual([undefined, 0]);
  });
});
