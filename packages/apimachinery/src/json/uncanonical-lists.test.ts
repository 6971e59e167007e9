import { expect, it } from 'vitest';
import { cloneSent, hasUncanonicalList, keepUncanonical, noteUncanonical } from './uncanonical-lists.js';

it('keeps the notes of a sent object in another version, and in copies of that', () => {
  const list = [{ name: 'a' }];
  const sent = { apiVersion: 'v1beta1', spec: { list } };
  noteUncanonical(list);
  noteUncanonical(sent);
  const converted = { ...sent, apiVersion: 'v1' };
  expect(hasUncanonicalList(cloneSent(converted).spec)).toBe(false);
  expect(hasUncanonicalList(cloneSent(keepUncanonical(sent, converted)).spec)).toBe(true);
});
