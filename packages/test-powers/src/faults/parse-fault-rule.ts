import { isMembers } from '@apiserver/apimachinery/json';
import {
  checkFields,
  type FieldCheck,
  fieldError,
  integer,
  oneOf,
  pattern,
  selectorChecks,
  text,
} from '../matching/check-fields.js';
import { duration } from '../matching/duration.js';
import { type FaultEffect, type FaultRule, faultReasons } from './fault-rule.js';

/** Effects of which a rule has at most one. */
const exclusive: readonly (keyof FaultEffect)[] = [
  'response',
  'cut',
  'watch',
  'expired',
  'bookmarks',
  'webhook',
  'storage',
];

/** Checks a rule that comes as JSON. Throws a ControlPlaneError with the path of the wrong field. */
export function parseFaultRule(json: unknown): FaultRule {
  checkRule(json);
  return json;
}

function checkRule(rule: unknown): asserts rule is FaultRule {
  checkFields(rule, 'rule', ruleChecks);
  const given = Object.entries(rule ?? {})
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);
  const effects = exclusive.filter((name) => given.includes(name));
  if (effects.length === 0 && !given.includes('delay')) {
    throw fieldError('rule', `needs an effect: delay, ${exclusive.join(', ')}`);
  }
  if (effects.length > 1) throw fieldError('rule', `${effects.join(' and ')} exclude each other`);
  const [effect] = effects;
  if (effect !== 'storage' && effect !== 'webhook') return;
  const [selected] = given.filter((name) => Object.hasOwn(selectorChecks, name) || name === 'delay');
  if (selected !== undefined) throw fieldError(`rule.${selected}`, `has no meaning for ${effect}`);
}

const responseChecks = {
  status: { reason: oneOf(...faultReasons), message: text, retryAfter: integer(0) },
  raw: { code: codeCheck, body: anything, headers: headersCheck },
};

const response: FieldCheck = (value, path) => {
  if (isMembers(value) && 'reason' in value) return checkFields(value, path, responseChecks.status);
  checkFields(value, path, responseChecks.raw);
  if (isMembers(value) && value['code'] === undefined) throw fieldError(path, 'needs a reason or a code');
};

const watch: FieldCheck = (value, path) => {
  checkFields(value, path, { end: oneOf('closed', 'reset', 'expired'), events: integer(0), time: duration });
  if (isMembers(value) && value['end'] === undefined) throw fieldError(`${path}.end`, 'is missing');
};

const bookmarks: FieldCheck = (value, path) => {
  if (value === 'never') return;
  if (!isMembers(value)) throw fieldError(path, 'must be "never" or an object');
  checkFields(value, path, { delay: duration });
  if (value['delay'] === undefined) throw fieldError(`${path}.delay`, 'is missing');
};

const webhook: FieldCheck = (value, path) => {
  if (value === 'refused') return;
  if (!isMembers(value)) throw fieldError(path, 'must be "refused" or an object');
  checkFields(value, path, { refused: pattern });
  if (value['refused'] === undefined) throw fieldError(`${path}.refused`, 'is missing');
};

const storage: FieldCheck = (value, path) => {
  checkFields(value, path, { delay: duration, operation: oneOf('read', 'write'), key: text });
  if (isMembers(value) && value['delay'] === undefined) throw fieldError(`${path}.delay`, 'is missing');
};

const id: FieldCheck = (value, path) => {
  text(value, path);
  if (value === '') throw fieldError(path, 'must not be empty');
};

const rate: FieldCheck = (value, path) => {
  if (typeof value !== 'number' || !(value >= 0 && value <= 1)) throw fieldError(path, 'must be a number from 0 to 1');
};

const ruleChecks: Readonly<Record<keyof FaultRule, FieldCheck>> = {
  ...selectorChecks,
  id,
  after: integer(0),
  times: integer(1),
  rate,
  seed: integer(0),
  delay: duration,
  response,
  cut: oneOf('before commit', 'after commit'),
  watch,
  expired: oneOf(true),
  bookmarks,
  webhook,
  storage,
};

function codeCheck(value: unknown, path: string): void {
  integer(200)(value, path);
  if (Number(value) > 599) throw fieldError(path, 'must be a status of HTTP from 200 to 599');
}

function headersCheck(value: unknown, path: string): void {
  if (!isMembers(value)) throw fieldError(path, 'must be an object');
  for (const [name, each] of Object.entries(value)) text(each, `${path}.${name}`);
}

function anything(): void {}
