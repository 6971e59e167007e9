import { messageOf } from '@apiserver/apimachinery/errors';
import { TokenError } from '../token-error.js';
import type { ServiceAccountInfo } from './service-account-user.js';
import { LEEWAY_SECONDS, type ObjectReference, timeFault } from './token-claims.js';
import type { TokenObject, TokenObjectGetter } from './token-objects.js';
import type { TokenValidator, ValidatorOptions, VerifiedToken } from './token-validator.js';

/**
 * Validates a token of the TokenRequest API: its times, its account, and the object that it is bound to.
 * Upstream: validator in pkg/serviceaccount/claims.go
 */
export function boundTokenValidator(options: ValidatorOptions): TokenValidator {
  return { validate: (token) => validate(options, token) };
}

async function validate(options: ValidatorOptions, token: VerifiedToken): Promise<ServiceAccountInfo> {
  const { claims } = token;
  const fault = timeFault(claims, options.now());
  if (fault !== undefined) throw new TokenError(fault);
  const { namespace = '', serviceaccount: account = {}, secret, pod, node } = claims['kubernetes.io'] ?? {};
  await checkAccount(options, namespace, account);
  const check = (kind: BoundKind, reference: ObjectReference) => checkBound(options, { kind, namespace, reference });
  if (secret !== undefined) await check('secret', secret);
  if (pod !== undefined) await check('pod', pod);
  // The node claim of a token that is bound to a pod is informational: it is not checked.
  if (node !== undefined && pod === undefined) await check('node', node);
  noteWarning(options, token);
  return {
    namespace,
    name: account.name ?? '',
    uid: account.uid ?? '',
    ...(pod === undefined ? undefined : { pod: named(pod) }),
    ...(node === undefined ? undefined : { node: named(node) }),
    ...(claims.jti === undefined ? undefined : { jti: claims.jti }),
  };
}

function named({ name = '', uid = '' }: ObjectReference): { readonly name: string; readonly uid: string } {
  return { name, uid };
}

async function checkAccount(options: ValidatorOptions, namespace: string, { name = '', uid = '' }: ObjectReference) {
  const { objects, logger, now } = options;
  const account = await objects.serviceAccount(namespace, name).catch((error: unknown) => {
    logger.v(4)?.info('Could not retrieve service account', { namespace, name, reason: messageOf(error) });
    throw error;
  });
  const { metadata } = account;
  if ((metadata.uid ?? '') !== uid) {
    throw new TokenError(`service account UID (${metadata.uid ?? ''}) does not match claim (${uid})`);
  }
  if (isDeleted(account, now())) throw new TokenError(`service account ${namespace}/${name} has been deleted`);
}

type BoundKind = 'secret' | 'pod' | 'node';

interface Bond {
  readonly kind: BoundKind;
  readonly namespace: string;
  readonly reference: ObjectReference;
}

async function checkBound(options: ValidatorOptions, { kind, namespace, reference }: Bond): Promise<void> {
  const { objects, logger, now } = options;
  const { name = '', uid = '' } = reference;
  const invalidated = () => new TokenError('service account token has been invalidated');
  const object = await readBound(objects, { kind, namespace, reference }).catch((error: unknown) => {
    logger.v(4)?.info(`Could not retrieve bound ${kind}`, { namespace, name, reason: messageOf(error) });
    throw invalidated();
  });
  const actual = object.metadata.uid ?? '';
  if (actual !== uid) {
    throw new TokenError(`${kind} UID (${actual}) does not match service account ${kind} ref claim (${uid})`);
  }
  if (isDeleted(object, now())) throw invalidated();
}

function readBound(objects: TokenObjectGetter, { kind, namespace, reference }: Bond): Promise<TokenObject> {
  const { name = '' } = reference;
  return kind === 'node' ? objects.node(name) : objects[kind](namespace, name);
}

/** Allows the leeway after a deletion. An object without deletionTimestamp is not deleted. */
function isDeleted({ metadata }: TokenObject, now: number): boolean {
  const { deletionTimestamp } = metadata;
  return Date.parse(deletionTimestamp ?? '') < now - LEEWAY_SECONDS * 1000;
}

/**
 * A token with an extended lifetime stays valid after `warnafter`. Its use is counted and audited, so that its holder
 * can be found.
 */
function noteWarning({ observe, now }: ValidatorOptions, { claims, recorder }: VerifiedToken): void {
  const after = claims['kubernetes.io']?.warnafter;
  if (after === undefined || after === 0) return;
  if (now() <= after * 1000) {
    observe?.('valid');
    return;
  }
  const late = Math.floor(now() / 1000) - after;
  const note = `subject: ${claims.sub ?? ''}, seconds after warning threshold: ${late}`;
  recorder?.audit?.annotate('authentication.k8s.io/stale-token', note);
  observe?.('stale');
}
