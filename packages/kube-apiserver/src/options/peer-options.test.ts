import { NamedFlagSets } from '@apiserver/component-base/flags';
import { expect, it } from 'vitest';
import { PeerOptions } from './peer-options.js';

function parsed(...args: readonly string[]): PeerOptions {
  const options = new PeerOptions();
  const sets = new NamedFlagSets();
  options.addFlags(sets.section('misc'));
  sets.parse(args.map((arg) => `--coordinated-leadership-${arg}`));
  return options;
}

it.each<[readonly string[], readonly string[]]>([
  [[], []],
  [['lease-duration=5s', 'renew-deadline=3s', 'retry-period=1s'], []],
  [
    ['lease-duration=10s'],
    ['--coordinated-leadership-lease-duration must be greater than --coordinated-leadership-renew-deadline'],
  ],
  [
    ['renew-deadline=2400ms'],
    ['--coordinated-leadership-renew-deadline must be greater than --coordinated-leadership-retry-period*JitterFactor'],
  ],
  [['retry-period=0'], ['--coordinated-leadership-retry-period must be greater than zero']],
])('%j: %j', (args, messages) => {
  expect(
    parsed(...args)
      .validate()
      .map(({ message }) => message),
  ).toEqual(messages);
});

it('has upstream’s timers by default', () => {
  expect(parsed().timers).toEqual({ leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 });
});
