import type { Reinvocation } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { testAttributes } from '../testing/attributes.js';
import { pod } from '../testing/sample-objects.js';
import { ReinvokedWebhooks, reinvocationOf } from './reinvoked-webhooks.js';

it('makes the state of a request once', () => {
  const attributes = testAttributes();
  const state = reinvocationOf(attributes);
  expect(state).toEqual({ isReinvoke: false, isRequested: false, values: new Map() });
  expect(reinvocationOf(attributes)).toBe(state);
});

it('keeps the webhooks of each plugin apart', () => {
  const state: Reinvocation = { isReinvoke: false, isRequested: false, values: new Map([['other', 'a value']]) };
  const webhooks = ReinvokedWebhooks.of(state, 'plugin');
  expect([
    ReinvokedWebhooks.of(state, 'plugin') === webhooks,
    ReinvokedWebhooks.of(state, 'other') === webhooks,
  ]).toEqual([true, false]);
});

it('calls webhooks again that were called before a change', () => {
  const webhooks = new ReinvokedWebhooks();
  const due = () => ['a', 'b'].filter((uid) => webhooks.isDue(uid));
  webhooks.addInvoked('a');
  expect(due()).toEqual([]);
  webhooks.require();
  webhooks.addInvoked('b');
  expect(due()).toEqual(['a']);
  webhooks.require();
  expect(due()).toEqual(['a', 'b']);
});

it('compares the object with the one after the last webhook', () => {
  const webhooks = new ReinvokedWebhooks();
  const object = pod();
  webhooks.setOutput(object);
  expect(webhooks.isChanged(pod({ nodeName: 'n' }))).toBe(false);
  webhooks.addInvoked('a');
  webhooks.setOutput(object);
  expect([
    webhooks.isChanged(pod()),
    webhooks.isChanged(pod({ nodeName: 'n' })),
    webhooks.isChanged(undefined),
  ]).toEqual([false, true, true]);
  object.spec.nodeName = 'n';
  expect(webhooks.isChanged(object)).toBe(true);
  webhooks.require();
  expect(webhooks.isChanged(object)).toBe(false);
});
