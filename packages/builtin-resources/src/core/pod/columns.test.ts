import type { ContainerStatus, Pod, PodCondition, PodStatus } from '@apiserver/api/core/v1';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { podColumns, podRowConditions } from './columns.js';

describe('podRowConditions', () => {
  it.each([
    ['Running', []],
    [
      'Succeeded',
      [{ type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' }],
    ],
    ['Failed', [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }]],
  ])('of a pod that is %s', (phase, conditions) =>
    expect(podRowConditions({ metadata: {}, spec: {}, status: { phase } } as Pod)).toEqual(conditions),
  );

  it('of a phase with the name of a member of every object', () =>
    expect(podRowConditions({ metadata: {}, spec: {}, status: { phase: 'constructor' } } as Pod)).toEqual([]));

  it('of a bookmark', () => expect(podRowConditions({ metadata: {} } as Pod)).toEqual([]));
});

describe('podColumns', () => {
  const cell = (wanted: string, pod: Pod) =>
    podColumns.find(({ name }) => name === wanted)?.cell(pod, rowTime('2030-01-01T00:10:00Z'));
  const condition = (type: string, status = 'True'): PodCondition => ({ type, status });
  const container = (name: string) => ({ name, image: 'i', resources: {} });
  const beside = (name: string) => ({ ...container(name), restartPolicy: 'Always' });
  const containerStatus = (name: string, fields: Partial<ContainerStatus>): ContainerStatus => ({
    name,
    image: 'i',
    imageID: '',
    ready: false,
    restartCount: 0,
    state: {},
    lastState: {},
    ...fields,
  });
  const pod = (status: PodStatus, spec: Partial<Pod['spec']> = {}): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [container('c')], ...spec },
    status,
  });

  const restarted = (minute: number) => ({
    terminated: { exitCode: 1, finishedAt: `2030-01-01T00:0${minute}:00Z` },
  });
  const initContainers = [container('i'), beside('s'), beside('t'), beside('u')];
  const initContainerStatuses = [
    containerStatus('i', { restartCount: 16, lastState: restarted(9), state: { terminated: { exitCode: 0 } } }),
    containerStatus('s', { restartCount: 1, lastState: restarted(1), started: true, ready: true }),
    containerStatus('t', { restartCount: 2, lastState: restarted(2), state: { waiting: { reason: 'Error' } } }),
    containerStatus('u', { restartCount: 4, lastState: restarted(4), started: true, ready: true }),
  ];
  const containerStatuses = [containerStatus('c', { restartCount: 8, ready: true, state: { running: {} } })];
  // The containers after the first unfinished init container do not count.
  it.each<[string, PodCondition[], object]>([
    ['initializing', [], { Ready: '1/4', Status: 'Init:Error', Restarts: '19 (60s ago)' }],
    ['initialized', [condition('Initialized')], { Ready: '2/4', Status: 'Init:Error', Restarts: '11 (8m ago)' }],
    [
      'not initialized by its first condition',
      [condition('Initialized', 'False'), condition('Initialized')],
      { Ready: '1/4', Status: 'Init:Error', Restarts: '19 (60s ago)' },
    ],
  ])('count containers of a pod that is %s', (_name, conditions, cells) => {
    const made = pod({ phase: 'Running', conditions, initContainerStatuses, containerStatuses }, { initContainers });
    expect(Object.fromEntries(Object.keys(cells).map((name) => [name, cell(name, made)]))).toEqual(cells);
  });

  it.each<[string, PodCondition[]]>([
    ['0/2', []],
    ['1/2', [condition('a'), condition('b', 'False')]],
    ['1/2', [condition('a', 'False'), condition('b'), condition('a')]],
  ])('show readiness gates %s', (text, conditions) => {
    const readinessGates = [{ conditionType: 'a' }, { conditionType: 'b' }];
    expect(cell('Readiness Gates', pod({ conditions }, { readinessGates }))).toBe(text);
  });

  const ended = (exitCode: number, reason?: string) => ({ terminated: { exitCode, ...(reason && { reason }) } });
  const running = { ready: true, state: { running: {} } };
  it.each<[string, Partial<ContainerStatus>[], boolean, string]>([
    ['completed', [{ state: ended(0, 'Completed') }], false, 'Completed'],
    ['completed beside a failed one', [{ state: ended(0, 'Completed') }, { state: ended(1, 'Error') }], false, 'Error'],
    [
      'completed beside one that failed without a reason',
      [{ state: ended(0, 'Completed') }, { state: ended(3) }],
      false,
      'ExitCode:3',
    ],
    // The containers are looked at from the last to the first.
    [
      'completed beside two failed ones',
      [{ state: ended(0, 'Completed') }, { state: ended(1, 'Error') }, { state: ended(137, 'OOMKilled') }],
      false,
      'Error',
    ],
    ['completed beside a running one', [{ state: ended(0, 'Completed') }, running], false, 'NotReady'],
    [
      'completed beside a failed and a running one',
      [{ state: ended(0, 'Completed') }, { state: ended(1, 'Error') }, running],
      false,
      'Error',
    ],
    [
      'completed beside a failed and a running one of a ready pod',
      [{ state: ended(0, 'Completed') }, { state: ended(1, 'Error') }, running],
      true,
      'Running',
    ],
    ['failed with the reason of a completion', [{ state: ended(2, 'Completed') }], false, 'Completed'],
  ])('show the status of a container that has %s', (_name, statuses, isReady, text) => {
    const containerStatuses = statuses.map((fields, i) => containerStatus(`c${i}`, fields));
    const conditions = isReady ? [condition('Ready')] : [];
    expect(cell('Status', pod({ phase: 'Running', conditions, containerStatuses }))).toBe(text);
  });
});
