import type { PriorityLevelConfiguration, PriorityLevelConfigurationSpec } from '@apiserver/api/flowcontrol/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { exemptLevel } from '@apiserver/flowcontrol';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { priorityLevelConfigurations } from './index.js';

const context = testContext({ namespace: '' });
const { strategy } = priorityLevelConfigurations;

function level(spec: PriorityLevelConfigurationSpec, name = 'a'): PriorityLevelConfiguration {
  const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';
  return { apiVersion, kind: 'PriorityLevelConfiguration', metadata: { name, generation: 1 }, spec, status: {} };
}

function limited(fields: object): PriorityLevelConfigurationSpec {
  return { type: 'Limited', limited: { limitResponse: { type: 'Reject' }, ...fields } };
}

function queuing(fields: object): PriorityLevelConfigurationSpec {
  const queues = { queues: 64, handSize: 6, queueLengthLimit: 50, ...fields };
  return limited({ limitResponse: { type: 'Queue', queuing: queues } });
}

const LIMITED = 'spec.limited';
const QUEUING = 'spec.limited.limitResponse.queuing';

describe('validation', () => {
  it.each<[PriorityLevelConfigurationSpec, string]>([
    [limited({ nominalConcurrencyShares: 0 }), ''],
    [queuing({}), ''],
    [{ type: '' }, 'spec.type: Required value'],
    [{ type: 'x' }, 'spec.type: Unsupported value: "x": supported values: "Exempt", "Limited"'],
    [{ type: 'Exempt' }, `spec.type: Invalid value: "Exempt": must be 'Exempt' if and only if \`name\` is 'exempt'`],
    [{ type: 'Limited' }, 'spec.limited: Required value: must not be empty when type is Limited'],
    [{ ...limited({}), exempt: {} }, 'spec.exempt: Forbidden: must be nil if the type is Limited'],
    [
      limited({ nominalConcurrencyShares: -1, lendablePercent: 101, borrowingLimitPercent: -1 }),
      `[${LIMITED}.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer, ${LIMITED}.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive, ${LIMITED}.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer]`,
    ],
    [
      limited({ limitResponse: { type: 'Reject', queuing: {} } }),
      `${QUEUING}: Forbidden: must be nil if limited.limitResponse.type is not Limited`,
    ],
    [
      limited({ limitResponse: { type: 'Queue' } }),
      `${QUEUING}: Required value: must not be empty if limited.limitResponse.type is Limited`,
    ],
    [limited({ limitResponse: { type: '' } }), 'spec.limited.limitResponse.type: Required value'],
    [
      limited({ limitResponse: { type: 'x' } }),
      'spec.limited.limitResponse.type: Unsupported value: "x": supported values: "Queue", "Reject"',
    ],
    [
      queuing({ queues: -1, handSize: -1, queueLengthLimit: -1 }),
      `[${QUEUING}.queueLengthLimit: Invalid value: -1: must be positive, ${QUEUING}.queues: Invalid value: -1: must be positive, ${QUEUING}.handSize: Invalid value: -1: must be positive]`,
    ],
    [
      queuing({ queues: 10_000_001, handSize: 1 }),
      `${QUEUING}.queues: Invalid value: 10000001: must not be greater than 10000000`,
    ],
    [queuing({ queues: 4 }), `${QUEUING}.handSize: Invalid value: 6: should not be greater than queues (4)`],
    [
      queuing({ queues: 512, handSize: 8 }),
      `${QUEUING}.handSize: Invalid value: 8: required entropy bits of deckSize 512 and handSize 8 should not be greater than 60`,
    ],
  ])('%j: %j', (spec, message) => {
    expect(aggregateFieldErrors(strategy.validate(context, level(spec)))).toBe(message);
    expect(aggregateFieldErrors(strategy.validateUpdate(context, level(spec), level(limited({}))))).toBe(message);
  });

  it('lets administrators change only the limits of the exempt level', () => {
    const check = (spec: PriorityLevelConfigurationSpec, name = 'exempt') =>
      aggregateFieldErrors(strategy.validate(context, level(spec, name)));
    expect(check(exemptLevel.spec)).toBe('');
    expect(check({ type: 'Exempt', exempt: { nominalConcurrencyShares: 7, lendablePercent: 10 } })).toBe('');
    expect(check({ type: 'Exempt', exempt: { nominalConcurrencyShares: -7, lendablePercent: -1 } })).toBe(
      '[spec.exempt.nominalConcurrencyShares: Invalid value: -7: must be a non-negative integer, spec.exempt.lendablePercent: Invalid value: -1: must be between 0 and 100, inclusive]',
    );
    expect(check({ ...exemptLevel.spec, ...limited({}), type: 'Exempt' })).toBe(
      `[spec.limited: Forbidden: must be nil if the type is not Limited, spec: Invalid value: {"Type":"Exempt","Limited":{"NominalConcurrencyShares":0,"LimitResponse":{"Type":"Reject","Queuing":null},"LendablePercent":null,"BorrowingLimitPercent":null},"Exempt":{"NominalConcurrencyShares":0,"LendablePercent":0}}: spec of 'exempt' except the 'spec.exempt' field must equal the fixed value]`,
    );
    expect(check(queuing({}), 'catch-all')).toMatch(/: spec of 'catch-all' must equal the fixed value$/);
  });

  it('refuses the annotation of a version that is not served', () => {
    const annotated = level(limited({}));
    annotated.metadata.annotations = { 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '' };
    expect(aggregateFieldErrors(strategy.validate(context, annotated))).toBe(
      "metadata.annotations: Forbidden: annotation 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares' is forbidden",
    );
  });
});

it('shows shares and queues', () => {
  const cells = (spec: PriorityLevelConfigurationSpec) =>
    priorityLevelConfigurations.columns.map((column) => column.cell(level(spec), rowTime(0)));
  const none = '<none>';
  expect([cells(queuing({})), cells(exemptLevel.spec)]).toEqual([
    ['a', 'Limited', none, 64, 6, 50, '<unknown>'],
    ['a', 'Exempt', none, none, none, none, '<unknown>'],
  ]);
});
