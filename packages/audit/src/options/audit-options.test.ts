import { NamedFlagSets } from '@apiserver/component-base/flags';
import { describe, expect, it } from 'vitest';
import { AuditOptions } from './audit-options.js';

/** The errors about flags. */
function faults(...flags: string[]): readonly string[] {
  const options = new AuditOptions();
  const sets = new NamedFlagSets();
  options.addFlags(sets.section('auditing'));
  sets.parse(flags);
  return options.validate().map(({ message }) => message);
}

const LOG = '--audit-log-path=-';
const WEBHOOK = '--audit-webhook-config-file=webhook';
const MODES = 'allowed modes are "batch,blocking,blocking-strict"';

describe('AuditOptions', () => {
  it.each<[string, string[]]>([
    [`${LOG} --audit-log-format=foo`, ['invalid audit log format foo, allowed formats are "legacy,json"']],
    [`${LOG} --audit-log-mode=foo`, [`invalid audit log mode foo, ${MODES}`]],
    [
      `${LOG} --audit-log-mode=batch --audit-log-batch-buffer-size=-3`,
      ['invalid audit batch log buffer size -3, must be a positive number'],
    ],
    [
      `${LOG} --audit-log-mode=batch --audit-log-batch-max-size=0`,
      ['invalid audit batch log max batch size 0, must be a positive number'],
    ],
    [`${LOG} --audit-log-version=audit.k8s.io/v2`, ['invalid group version, allowed versions are ["audit.k8s.io/v1"]']],
    [`${LOG} --audit-log-version=a/b/c`, ['unexpected GroupVersion string: a/b/c']],
    [
      `${LOG} --audit-log-format=foo --audit-log-mode=bar --audit-log-version=x/v1 --audit-log-maxage=-3`,
      [
        `invalid audit log mode bar, ${MODES}`,
        'invalid group version, allowed versions are ["audit.k8s.io/v1"]',
        'invalid audit log format foo, allowed formats are "legacy,json"',
        "--audit-log-maxage -3 can't be a negative number",
      ],
    ],
    [
      `${LOG} --audit-log-maxage=-1 --audit-log-maxbackup=-1 --audit-log-maxsize=-1`,
      [
        "--audit-log-maxage -1 can't be a negative number",
        "--audit-log-maxbackup -1 can't be a negative number",
        "--audit-log-maxsize -1 can't be a negative number",
      ],
    ],
    [`${WEBHOOK} --audit-webhook-mode=foo`, [`invalid audit webhook mode foo, ${MODES}`]],
    [
      `${WEBHOOK} --audit-webhook-batch-throttle-qps=-1`,
      ['invalid audit batch webhook throttle QPS -1, must be a positive number'],
    ],
    [
      `${WEBHOOK} --audit-webhook-batch-throttle-burst=0`,
      ['invalid audit batch webhook throttle burst 0, must be a positive number'],
    ],
    [
      `${WEBHOOK} --audit-webhook-truncate-enabled --audit-webhook-truncate-max-event-size=-1`,
      ['invalid audit truncate webhook max event size -1, must be a positive number'],
    ],
    [
      `${WEBHOOK} --audit-webhook-truncate-enabled --audit-webhook-truncate-max-event-size=2 --audit-webhook-truncate-max-batch-size=1`,
      ['invalid audit truncate webhook max batch size 1, must be greater than max event size (2)'],
    ],
    // A backend that is off may have any settings.
    ['--audit-log-mode=foo --audit-webhook-mode=foo', []],
    [`${LOG} ${WEBHOOK}`, []],
  ])('%s', (flags, expected) => {
    expect(faults(...flags.split(' '))).toEqual(expected);
  });
});
