import { expect, it } from 'vitest';
import { reviewStatus } from './review-status.js';

const TOKEN = 'TokenReviewStatus.status';
const ACCESS = 'SubjectAccessReviewStatus.status';
const IMAGE = 'ImageReviewStatus.status';

it.each<[string, object, string, string]>([
  ['TokenReview', { authenticated: 'true' }, 'string', `${TOKEN}.authenticated of type bool`],
  ['TokenReview', { user: 'alice' }, 'string', `${TOKEN}.user of type UserInfo`],
  ['TokenReview', { user: [] }, 'array', `${TOKEN}.user of type UserInfo`],
  ['TokenReview', { user: { username: {} } }, 'object', 'UserInfo.status.user.username of type string'],
  ['TokenReview', { user: { uid: true } }, 'bool', 'UserInfo.status.user.uid of type string'],
  ['TokenReview', { user: { groups: 'a' } }, 'string', 'UserInfo.status.user.groups of type []string'],
  ['TokenReview', { user: { groups: ['a', true] } }, 'bool', 'UserInfo.status.user.groups of type string'],
  ['TokenReview', { user: { extra: [] } }, 'array', 'UserInfo.status.user.extra of type map[string][]string'],
  ['TokenReview', { user: { extra: { a: 'b' } } }, 'string', 'UserInfo.status.user.extra of type []string'],
  ['TokenReview', { user: { extra: { a: [true] } } }, 'bool', 'UserInfo.status.user.extra of type string'],
  ['TokenReview', { audiences: {} }, 'object', `${TOKEN}.audiences of type []string`],
  ['TokenReview', { error: false }, 'bool', `${TOKEN}.error of type string`],
  ['SubjectAccessReview', { allowed: 'false' }, 'string', `${ACCESS}.allowed of type bool`],
  ['SubjectAccessReview', { denied: [] }, 'array', `${ACCESS}.denied of type bool`],
  ['SubjectAccessReview', { reason: {} }, 'object', `${ACCESS}.reason of type string`],
  ['SubjectAccessReview', { evaluationError: true }, 'bool', `${ACCESS}.evaluationError of type string`],
  ['ImageReview', { allowed: 'true' }, 'string', `${IMAGE}.allowed of type bool`],
  ['ImageReview', { reason: [] }, 'array', `${IMAGE}.reason of type string`],
  ['ImageReview', { auditAnnotations: 'a' }, 'string', `${IMAGE}.auditAnnotations of type map[string]string`],
  ['ImageReview', { auditAnnotations: { a: ['b'] } }, 'array', `${IMAGE}.auditAnnotations of type string`],
])('%s refuses %j', (kind, status, given, rest) => {
  expect(() => reviewStatus(kind, status)).toThrow(
    new Error(`json: cannot unmarshal ${given} into Go struct field ${rest}`),
  );
});

const user = { username: 'alice', uid: '1', groups: ['a', 'b'], extra: { scope: ['x', 'y'] } };

it.each<[string, object, object]>([
  ['TokenReview', {}, {}],
  ...[{ authenticated: true, user, audiences: ['api'], error: 'e' }].map((status): [string, object, object] => [
    'TokenReview',
    { ...status, other: 1 },
    status,
  ]),
  ['TokenReview', { authenticated: null, user: null, audiences: null, error: null }, {}],
  [
    'TokenReview',
    { user: { groups: ['a', null], extra: { a: null } } },
    { user: { groups: ['a', ''], extra: { a: [] } } },
  ],
  ['TokenReview', { user: {}, audiences: [] }, { user: {}, audiences: [] }],
  ...[{ allowed: false, denied: true, reason: 'r', evaluationError: 'e' }].map((status): [string, object, object] => [
    'SubjectAccessReview',
    { ...status, other: 1 },
    status,
  ]),
  ...[{ allowed: true, reason: '', auditAnnotations: { a: 'b' } }].map((status): [string, object, object] => [
    'ImageReview',
    { ...status, other: 1 },
    status,
  ]),
  ['ImageReview', { auditAnnotations: { a: null } }, { auditAnnotations: { a: '' } }],
  ['OtherReview', { allowed: 'x', other: 1 }, { allowed: 'x', other: 1 }],
])('%s reads %j', (kind, status, read) => {
  expect(reviewStatus(kind, status)).toEqual(read);
});
