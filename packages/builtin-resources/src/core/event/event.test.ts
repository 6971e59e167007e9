import type { Event } from '@apiserver/api/core/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import type { RequestInfo, VerbContext } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { eventDeclaration as events } from './index.js';

const { strategy } = events;
const through = (apiGroup: string): VerbContext => ({
  ...testContext(),
  requestInfo: { apiGroup, apiVersion: 'v1' } as RequestInfo,
});
const OLD_API = through('');
const NEW_API = through('events.k8s.io');
const TIME = '2030-01-01T00:00:00.000000Z';

function event(fields: Partial<Event> = {}): Event {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1' },
    involvedObject: { kind: 'Pod', namespace: 'ns', name: 'p' },
    source: {},
    ...fields,
  };
}

const NEW = {
  eventTime: TIME,
  reportingComponent: 'example.com/c',
  reportingInstance: 'i',
  action: 'Bind',
  reason: 'Bound',
  type: 'Normal',
};

const MISMATCH = 'does not match event.namespace';

describe.each([
  ['create', (sent: Event) => aggregateFieldErrors(strategy.validate(OLD_API, sent))],
  ['update', (sent: Event) => aggregateFieldErrors(strategy.validateUpdate(OLD_API, sent, event()))],
])('%s through the old API', (_verb, validate) => {
  it.each<[string, Partial<Event>, string]>([
    ['an old event', { count: 1, firstTimestamp: '2030-01-01T00:00:00Z', source: { component: 'c' } }, ''],
    ['a new event', NEW, ''],
    ['a new event about another namespace', { ...NEW, involvedObject: { namespace: 'other' } }, ''],
    [
      'an old event about another namespace',
      { involvedObject: { namespace: 'other' } },
      `involvedObject.namespace: Invalid value: "other": ${MISMATCH}`,
    ],
    [
      'an old event about no namespace',
      { involvedObject: {} },
      `involvedObject.namespace: Invalid value: "": ${MISMATCH}`,
    ],
    [
      'an old event about no namespace, in default',
      { involvedObject: {}, metadata: { name: 'a', namespace: 'default' } },
      '',
    ],
    [
      'a new event about no namespace, in kube-system',
      { ...NEW, involvedObject: {}, metadata: { name: 'a', namespace: 'kube-system' } },
      '',
    ],
    [
      'a new event that says nothing',
      { eventTime: TIME, reportingComponent: 'c' },
      '[reportingInstance: Required value, action: Required value, reason: Required value]',
    ],
    [
      'too long texts',
      { ...NEW, reportingInstance: 'x'.repeat(129), message: 'x'.repeat(1025) },
      '[reportingInstance: Invalid value: "": can have at most 128 characters, message: Invalid value: "": can have at most 1024 characters]',
    ],
  ])('%s', (_what, fields, message) => {
    expect(validate(event(fields))).toBe(message);
  });
});

it.each<[string, Partial<Event>, string]>([
  ['a single event', NEW, ''],
  ['a series', { ...NEW, series: { count: 2, lastObservedTime: TIME } }, ''],
  ['no time', { ...NEW, eventTime: null }, 'eventTime: Required value'],
  ['another type', { ...NEW, type: 'x' }, 'type: Invalid value: "": has invalid value: x'],
  [
    'a series of one',
    { ...NEW, series: { count: 1 } },
    '[series.count: Invalid value: "": should be at least 2, series.lastObservedTime: Required value]',
  ],
  [
    'fields of old',
    { ...NEW, count: 1, source: { host: 'h' }, firstTimestamp: TIME, lastTimestamp: TIME },
    '[firstTimestamp: Invalid value: "": needs to be unset, lastTimestamp: Invalid value: "": needs to be unset, count: Invalid value: "": needs to be unset, source: Invalid value: "": needs to be unset]',
  ],
])('through the new API: %s', (_what, fields, message) => {
  expect(aggregateFieldErrors(strategy.validate(NEW_API, event(fields)))).toBe(message);
});

it('changes only its series through the new API', () => {
  const update = (fields: Partial<Event>) =>
    aggregateFieldErrors(strategy.validateUpdate(NEW_API, event({ ...NEW, ...fields }), event(NEW)));
  expect(update({ series: { count: 5, lastObservedTime: TIME } })).toBe('');
  expect(update({ message: 'new', related: { kind: 'Node', name: 'n' } })).toBe(
    '[message: Invalid value: "new": field is immutable, related: Invalid value: {"Kind":"Node","Namespace":"","Name":"n","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable]',
  );
});

it('supports field selectors by object and reporter', () => {
  const fields = events.selectableFields?.(event({ ...NEW, source: { component: 's' } }));
  expect(fields).toMatchObject({ 'involvedObject.name': 'p', 'involvedObject.uid': '', reason: 'Bound', source: 's' });
  expect(events.selectableFields?.(event(NEW))).toMatchObject({ source: 'example.com/c', type: 'Normal' });
});

it('shows time, message and count', () => {
  const now = rowTime('2030-01-01T00:01:40Z');
  const cells = (shown: Event) => events.columns.map((column) => column.cell(shown, now));
  const old = event({
    firstTimestamp: '2030-01-01T00:00:00Z',
    lastTimestamp: '2030-01-01T00:01:00Z',
    count: 3,
    message: ' m\n',
    source: { component: 'kubelet', host: 'n' },
    type: 'Warning',
    reason: 'Failed',
    involvedObject: { kind: 'Pod', namespace: 'ns', name: 'p', fieldPath: 'spec' },
  });
  const series = event({ ...NEW, series: { count: 4, lastObservedTime: '2030-01-01T00:01:30.000000Z' } });
  expect([cells(old), cells(series), cells(event({ ...NEW, involvedObject: { kind: 'Node' } }))]).toEqual([
    ['40s', 'Warning', 'Failed', 'pod/p', 'spec', 'kubelet, n', 'm', '100s', 3, 'a'],
    ['10s', 'Normal', 'Bound', 'pod/p', '', 'example.com/c, i', '', '100s', 4, 'a'],
    ['100s', 'Normal', 'Bound', 'node', '', 'example.com/c, i', '', '100s', 1, 'a'],
  ]);
});
