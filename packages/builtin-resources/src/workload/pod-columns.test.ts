import { expect, it } from 'vitest';
import { labelsText } from './pod-columns.js';

it.each<[Record<string, string> | undefined, string]>([
  [undefined, '<none>'],
  [{}, '<none>'],
  [{ b: '2', a: '' }, 'a=,b=2'],
  // By the whole pair: a dot comes before "=".
  [{ app: 'y', 'app.kubernetes.io/name': 'x' }, 'app.kubernetes.io/name=x,app=y'],
])('prints labels %j', (labels, text) => expect(labelsText(labels)).toBe(text));
