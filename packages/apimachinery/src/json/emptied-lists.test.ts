import { expect, it } from 'vitest';
import { cloneSent, hasEmptiedList, keepEmptied, noteEmptied } from './emptied-lists.js';

it('keeps the notes of a sent object in another version, and in copies of that', () => {
  const list = [{ name: 'a' }];
  const sent = { apiVersion: 'v1beta1', spec: { list } };
  noteEmptied(list);
  noteEmptied(sent);
  const converted = { ...sent, apiVersion: 'v1' };
  expect(hasEmptiedList(cloneSent(converted).spec)).toBe(false);
  expect(hasEmptiedList(cloneSent(keepEmptied(sent, converted)).spec)).toBe(true);
});
