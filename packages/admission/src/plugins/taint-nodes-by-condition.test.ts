import type { Node, Taint } from '@apiserver/api/core/v1';
import { expect, it } from 'vitest';
import { objectAttributes } from '../testing/attributes.js';
import { runPlugin } from '../testing/run-plugin.js';
import { taintNodesByCondition } from './taint-nodes-by-condition.js';

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

it.each<[Taint[] | undefined, Taint[]]>([
  [undefined, [NOT_READY]],
  [[{ key: 'a', effect: 'NoExecute' }], [{ key: 'a', effect: 'NoExecute' }, NOT_READY]],
  [[{ ...NOT_READY, effect: 'NoExecute' }], [{ ...NOT_READY, effect: 'NoExecute' }, NOT_READY]],
  [[{ ...NOT_READY, value: 'x' }], [{ ...NOT_READY, value: 'x' }]],
])('a node with %j', async (taints, expected) => {
  const spec = taints === undefined ? {} : { taints };
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec };
  const outcome = await runPlugin(taintNodesByCondition(), objectAttributes('nodes', node));
  expect((outcome as { object: Node }).object.spec.taints).toEqual(expected);
});
