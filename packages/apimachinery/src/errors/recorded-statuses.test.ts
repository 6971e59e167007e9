import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { aggregateMessages } from '../field/aggregate.js';
import { formatGroupKind } from '../types/group-version.js';
import type { Status } from '../types/status.js';
import { failureStatus, newAlreadyExists, newNotFound } from './status-factories.js';

/** Conversations recorded from real servers. They are not part of the repository. */
const recordings = new URL('../../../../../shared/replay/public/', import.meta.url);

function recordedStatuses(): Status[] {
  const found = new Map<string, Status>();
  for (const file of readdirSync(recordings)) {
    const recorded: unknown = JSON.parse(readFileSync(new URL(file, recordings), 'utf8'));
    collect(recorded, found);
  }
  return [...found.values()];
}

function collect(value: unknown, found: Map<string, Status>): void {
  if (typeof value !== 'object' || value === null) return;
  if ('kind' in value && value.kind === 'Status' && 'code' in value && 'message' in value) {
    found.set(JSON.stringify(value), value as Status);
  }
  for (const member of Object.values(value)) collect(member, found);
}

/** Rebuilds a Status by its factory, or by its shape where the details are insufficient. */
function remade(status: Status): Status {
  const { name = '', group = '', kind = '' } = status.details ?? {};
  const resource = { group, resource: kind };
  if (status.reason === 'NotFound' && name !== '') return newNotFound(resource, name).status;
  if (status.reason === 'AlreadyExists' && !status.message?.startsWith('object is being deleted: ')) {
    return newAlreadyExists(resource, name).status;
  }
  return failureStatus(status.code ?? 0, status.reason, status.message ?? '', status.details);
}

/** Reports whether the message of an Invalid Status lists its causes, in any order: the recordings have them sorted. */
function saysItsCauses({ details, message = '' }: Status): boolean {
  const { name = '', group = '', kind = '', causes = [] } = details ?? {};
  const parts = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const expected = `${formatGroupKind({ group, kind })} "${name}" is invalid: ${aggregateMessages(parts)}`;
  return message.length === expected.length && parts.every((part) => message.includes(part));
}

describe.skipIf(!existsSync(recordings))('recorded statuses (skipped where there are no recordings)', () => {
  const failures = existsSync(recordings) ? recordedStatuses().filter(({ status }) => status === 'Failure') : [];

  it('are what the factories make, key by key', () => {
    // Responses in YAML were recorded with their keys sorted.
    const texts = failures.map((status) => JSON.stringify(status)).filter((text) => text.startsWith('{"kind"'));
    expect(texts.length).toBeGreaterThan(100);
    expect(texts.map((text) => JSON.stringify(remade(JSON.parse(text))))).toEqual(texts);
  });

  it('say their causes', () => {
    const invalid = failures.filter(({ reason, details }) => reason === 'Invalid' && details?.causes !== undefined);
    expect(invalid.length).toBeGreaterThan(50);
    expect(invalid.filter((status) => !saysItsCauses(status))).toEqual([]);
  });
});
