import type { ParamRef } from '@apiserver/api/admissionregistration/v1';
import { aggregateFieldErrors, FieldPath } from '@apiserver/apimachinery/field';
import { expect, it } from 'vitest';
import { validateParamKind, validateParamRef } from './params.js';

const path = FieldPath.of('p');
const LABEL =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LONG = 'a'.repeat(64);

it.each<[string, string, string]>([
  ['v1', 'Limit', ''],
  ['g.io/v1', 'Limit', ''],
  ['', '', '[p.apiVersion: Required value, p.kind: Required value]'],
  ['/', 'K', 'p.apiVersion: Invalid value: "/": version must be specified'],
  ['g/', 'K', 'p.apiVersion: Invalid value: "g/": version must be specified'],
  [
    'G/',
    'K',
    `[p.apiVersion: Invalid value: "G": ${SUBDOMAIN}, p.apiVersion: Invalid value: "G/": version must be specified]`,
  ],
  ['a/b/c', 'K', 'p.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
  ['G/v1', 'K', `p.apiVersion: Invalid value: "G": ${SUBDOMAIN}`],
  ['1', 'K', `p.apiVersion: Invalid value: "1": ${LABEL}`],
  ['g/1', 'K', `p.apiVersion: Invalid value: "1": ${LABEL}`],
  [`g/${LONG}-`, 'K', `p.apiVersion: Invalid value: "${LONG}-": must be no more than 63 characters,${LABEL}`],
  ['v1', '-', `p.kind: Invalid value: "-": may have mixed case, but should otherwise match: ${LABEL}`],
  [
    'v1',
    `${LONG}-`,
    `p.kind: Invalid value: "${LONG}-": may have mixed case, but should otherwise match: must be no more than 63 characters,${LABEL}`,
  ],
  [
    `${'g'.repeat(254)}-/v1`,
    'K',
    `p.apiVersion: Invalid value: "${'g'.repeat(254)}-": must be no more than 253 characters,${SUBDOMAIN}`,
  ],
])('parameters of version "%s" and kind "%s"', (apiVersion, kind, faults) => {
  expect(aggregateFieldErrors(validateParamKind({ apiVersion, kind }, path))).toBe(faults);
});

it('takes absent members for empty ones', () => {
  expect(aggregateFieldErrors(validateParamKind({}, path))).toBe(
    '[p.apiVersion: Required value, p.kind: Required value]',
  );
});

it.each<[ParamRef, string]>([
  [{ name: 'n', parameterNotFoundAction: 'Deny' }, ''],
  [{ selector: {}, parameterNotFoundAction: 'Allow' }, ''],
  [{ name: 'n' }, 'p.parameterNotFoundAction: Required value'],
  [
    { name: 'n', parameterNotFoundAction: 'Warn' },
    'p.parameterNotFoundAction: Unsupported value: "Warn": supported values: "Deny", "Allow"',
  ],
  [{ parameterNotFoundAction: 'Deny' }, 'p: Required value: one of name or selector must be specified'],
  [{ name: 'a/b', parameterNotFoundAction: 'Deny' }, `p.name: Invalid value: "a/b": may not contain '/'`],
  [
    { name: 'n', selector: {}, parameterNotFoundAction: 'Deny' },
    '[p.name: Forbidden: name and selector are mutually exclusive, p.selector: Forbidden: name and selector are mutually exclusive]',
  ],
  [
    { selector: { matchExpressions: [{ key: 'k', operator: 'Odd' }] }, parameterNotFoundAction: 'Deny' },
    'p.selector.matchExpressions[0].operator: Invalid value: "Odd": not a valid selector operator',
  ],
])('a reference %j', (ref, faults) => {
  expect(aggregateFieldErrors(validateParamRef(ref, path))).toBe(faults);
});
