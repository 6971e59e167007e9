import type { PodGroupTemplate, Workload, WorkloadSpec } from '@apiserver/api/scheduling/v1alpha2';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { workloads as define } from './index.js';

const workloads = define({ topology: false });
const context = testContext({ namespace: 'ns' });

const template = (name: string, more: Partial<PodGroupTemplate> = {}): PodGroupTemplate => ({
  name,
  schedulingPolicy: { basic: {} },
  ...more,
});
const workload = (spec: Partial<WorkloadSpec> = {}): Workload => ({
  apiVersion: 'scheduling.k8s.io/v1alpha2',
  kind: 'Workload',
  metadata: { name: 'w', namespace: 'ns', uid: 'u', resourceVersion: '1' },
  spec: { podGroupTemplates: [template('a')], ...spec },
});
const templates = (...podGroupTemplates: PodGroupTemplate[]) => workload({ podGroupTemplates });
const PATH = 'spec.podGroupTemplates';
const IMMUTABLE = 'Invalid value: null: field is immutable';
const controllerRef = { apiGroup: 'apps', kind: 'Deployment', name: 'd' };
const nine = Array.from('abcdefghi', (name) => template(name));

describe('Workload', () => {
  it.each<[string, Workload, string]>([
    ['a template', workload(), ''],
    ['a controller', workload({ controllerRef }), ''],
    ['no template', workload({ podGroupTemplates: null }), `${PATH}: Required value`],
    ['nine templates', templates(...nine), `${PATH}: Too many: 9: must have at most 8 items`],
    [
      'a name twice',
      templates(template('a'), template('a')),
      `${PATH}[1]: Duplicate value: {"name":"a","schedulingPolicy":{"basic":{}},"schedulingConstraints":null}`,
    ],
    ['a template without name', templates(template('')), `${PATH}[0].name: Required value`],
    ['a name with dots', templates(template('a.b')), `${PATH}[0].name: Invalid value: "a.b": must not contain dots`],
    [
      'a template without policy',
      templates(template('a', { schedulingPolicy: {} })),
      `${PATH}[0].schedulingPolicy: Invalid value: "": must specify one of: \`basic\`, \`gang\``,
    ],
    [
      'an incomplete controller',
      workload({ controllerRef: { apiGroup: 'apps', kind: '', name: 'a/b' } }),
      `[spec.controllerRef.kind: Required value, spec.controllerRef.name: Invalid value: "a/b": may not contain '/']`,
    ],
  ])('with %s', (_, object, message) => {
    expect(aggregateFieldErrors(workloads.strategy.validate(context, object))).toBe(message);
  });

  it('has a controller of a group with a valid name', () => {
    const object = workload({ controllerRef: { ...controllerRef, apiGroup: 'A' } });
    expect(aggregateFieldErrors(workloads.strategy.validate(context, object))).toMatch(
      /^spec.controllerRef.apiGroup: Invalid value: "A": a lowercase RFC 1123 subdomain/,
    );
  });

  it.each<[string, Workload, Workload, string]>([
    ['nothing', templates(template('A')), templates(template('A')), ''],
    ['a template', templates(template('b')), workload(), `${PATH}: ${IMMUTABLE}`],
    ['the controller', workload({ controllerRef }), workload(), `spec.controllerRef: ${IMMUTABLE}`],
    ['all templates', templates(), workload(), `[${PATH}: ${IMMUTABLE}, ${PATH}: Required value]`],
  ])('is updated when %s changes', (_, object, old, message) => {
    expect(aggregateFieldErrors(workloads.strategy.validateUpdate(context, object, old))).toBe(message);
  });

  it('loses the fields of disabled features, unless the template at that place has them', async () => {
    const created = templates(template('a', { priority: 1 }));
    await workloads.strategy.prepareForCreate?.(context, created);
    expect(created).toEqual(workload());
    const gated = () => templates(template('a', { priority: 1 }), template('b', { priority: 1 }));
    const updated = gated();
    await workloads.strategy.prepareForUpdate?.(context, updated, templates(template('x', { priority: 2 })));
    expect(updated).toEqual(templates(template('a', { priority: 1 }), template('b')));
  });
});

it('with TopologyAwareWorkloadScheduling has templates with constraints', async () => {
  const { strategy } = define({ topology: true });
  const sent = () => templates(template('a', { schedulingConstraints: { topology: [{ key: 'rack' }] } }));
  const created = sent();
  await strategy.prepareForCreate?.(context, created);
  expect(created).toEqual(sent());
  const wrong = templates(template('a', { schedulingConstraints: { topology: [{ key: '' }] } }));
  expect(aggregateFieldErrors(strategy.validate(context, wrong))).toBe(
    `${PATH}[0].schedulingConstraints.topology[0].key: Required value`,
  );
});

it('shows its name and age', () => {
  expect(workloads.columns.map((column) => column.cell(workload(), rowTime(0)))).toEqual(['w', '<unknown>']);
});
