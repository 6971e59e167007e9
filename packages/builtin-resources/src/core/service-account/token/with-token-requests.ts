import { TokenRequest } from '@apiserver/api/authentication/v1';
import type { ServiceAccount } from '@apiserver/api/core/v1';
import { messageOf, newConflict, newInternalError, newInvalid } from '@apiserver/apimachinery/errors';
import { FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { cloneJson } from '@apiserver/apimachinery/json';
import { formatTime } from '@apiserver/apimachinery/values';
import type {
  Creater,
  FeatureGates,
  GenericStore,
  ResourceDefinition,
  ValidateObject,
  VerbContext,
} from '@apiserver/apiserver-contracts';
import { unstoredResult } from '../../../review/define-review.js';
import { type BoundObjectGetter, boundObjects } from './bound-objects.js';
import type { IssuedToken, IssueOrder, TokenIssuer } from './token-issuer.js';
import { validateTokenRequest } from './validation.js';

const TOKEN_REQUEST = { group: 'authentication.k8s.io', kind: 'TokenRequest' };
const METADATA = FieldPath.of('metadata');
const DEFAULT_SECONDS = 60 * 60;

/** The lifetime that kubelets request; such tokens are extended. Upstream: WarnOnlyBoundTokenExpirationSeconds */
const INJECTED_SECONDS = 60 * 60 + 7;

/** The audit annotation with the id of the token. Upstream: IssuedCredentialIDAuditAnnotationKey */
const ISSUED_CREDENTIAL = 'authentication.kubernetes.io/issued-credential-id';

/** The audit annotation about a request for another account of the same name. */
const UID_MISMATCH = 'authentication.k8s.io/token-request-uid-mismatch';

/** Dependencies of token requests. */
export interface TokenRequestOptions {
  readonly issuer: TokenIssuer;
  /** Default audiences. Upstream flag: --api-audiences */
  readonly audiences: readonly string[];
  /** 0 for no limit. Upstream flag: --service-account-max-token-expiration */
  readonly maxExpirationSeconds: number;
  /** Upstream flag: --service-account-extend-token-expiration */
  readonly extendExpiration: boolean;
  /** The lifetime of extended tokens: at most a year, or what the signer allows. */
  readonly maxExtendedSeconds: number;
  readonly objects: BoundObjectGetter;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly features: FeatureGates;
}

/**
 * The definition of service accounts for one server, with token requests.
 * Upstream: pkg/registry/core/serviceaccount/storage/token.go
 */
export function withTokenRequests(
  definition: ResourceDefinition<ServiceAccount>,
  options: TokenRequestOptions,
): ResourceDefinition<ServiceAccount> {
  const token = {
    strategy: definition.strategy,
    verbs: ['create'],
    schema: TokenRequest,
    applyDefaults: ({ spec }: TokenRequest) => {
      spec.expirationSeconds ??= DEFAULT_SECONDS;
    },
    preservesSystemFields: true,
    override: (accounts: GenericStore<ServiceAccount>) => tokenRequests(accounts, options),
  };
  return { ...definition, subresources: { ...definition.subresources, token } };
}

function tokenRequests(accounts: GenericStore<ServiceAccount>, options: TokenRequestOptions): Creater<TokenRequest> {
  return {
    async create(context, request, validate) {
      const account = await accountOf(accounts, context, { request, features: options.features });
      const now = options.now();
      complete(request, account, { audiences: options.audiences, now });
      await refuseInvalid(request, validate);
      const bonds = await bondsOf(request, account, options);
      shorten(request, context, options.maxExpirationSeconds);
      const { token, id } = await issue(options, orderOf(request, account, bonds, options));
      context.audit?.annotate(ISSUED_CREDENTIAL, `JTI=${id}`);
      const expirationTimestamp = formatTime(now + secondsOf(request) * 1000);
      return unstoredResult({ ...request, status: { token, expirationTimestamp } });
    },
  };
}

async function issue({ issuer }: TokenRequestOptions, order: IssueOrder): Promise<IssuedToken> {
  try {
    return await issuer.generate(order);
  } catch (error) {
    throw newInternalError(new Error(`failed to generate token: ${messageOf(error)}`, { cause: error }));
  }
}

/** The request may repeat name and namespace of the account. */
async function accountOf(
  accounts: GenericStore<ServiceAccount>,
  context: VerbContext,
  { request: { metadata }, features }: { readonly request: TokenRequest; readonly features: FeatureGates },
): Promise<ServiceAccount> {
  const name = context.requestInfo?.name ?? '';
  const { name: named, namespace } = metadata;
  if (named && named !== name) throw mismatch(name, 'name', named);
  if (namespace && namespace !== context.namespace) throw mismatch(name, 'namespace', namespace);
  const account = (await accounts.get(context, name, {})).object;
  const mismatched = otherAccountFault(metadata.uid ?? '', account);
  if (mismatched === undefined) return account;
  if (features.enabled('TokenRequestServiceAccountUIDValidation')) {
    throw newConflict({ group: TOKEN_REQUEST.group, resource: TOKEN_REQUEST.kind }, name, mismatched);
  }
  context.audit?.annotate(UID_MISMATCH, mismatched);
  return account;
}

/** A recreated account differs from the requested one. */
function otherAccountFault(requested: string, { metadata: { uid = '' } }: ServiceAccount): string | undefined {
  if (requested === '' || requested === uid) return undefined;
  return `the UID in the token request (${requested}) does not match the UID of the service account (${uid})`;
}

function mismatch(account: string, field: 'name' | 'namespace', value: string) {
  const message = `must match the service account ${field} if specified`;
  return newInvalid(TOKEN_REQUEST, account, [fieldInvalid(METADATA.child(field), value, message)]);
}

interface RequestDefaults {
  readonly audiences: readonly string[];
  readonly now: number;
}

/** Mutates. */
function complete(request: TokenRequest, { metadata }: ServiceAccount, { audiences, now }: RequestDefaults): void {
  const { spec } = request;
  if ((spec.audiences ?? []).length === 0) spec.audiences = [...audiences];
  spec.boundObjectRef ??= null;
  request.metadata = {
    ...request.metadata,
    name: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
    ...(metadata.uid && { uid: metadata.uid }),
    creationTimestamp: formatTime(now),
  };
  request.status = { token: '', expirationTimestamp: null };
}

async function refuseInvalid(request: TokenRequest, validate: ValidateObject<TokenRequest>): Promise<void> {
  const errors = validateTokenRequest(request);
  if (errors.length > 0) throw newInvalid(TOKEN_REQUEST, '', errors);
  await validate(cloneJson(request));
}

async function bondsOf({ spec }: TokenRequest, { metadata }: ServiceAccount, { objects }: TokenRequestOptions) {
  const { boundObjectRef } = spec;
  if (boundObjectRef === undefined || boundObjectRef === null) return {};
  const { namespace = '', name = '' } = metadata;
  return boundObjects(objects, { namespace, name }, boundObjectRef);
}

/** Mutates. */
function shorten(request: TokenRequest, { warnings }: VerbContext, maxSeconds: number): void {
  const seconds = secondsOf(request);
  if (maxSeconds <= 0 || seconds <= maxSeconds) return;
  warnings.warn(`requested expiration of ${seconds} seconds shortened to ${maxSeconds} seconds`);
  request.spec.expirationSeconds = maxSeconds;
}

function secondsOf({ spec }: TokenRequest): number {
  return Number(spec.expirationSeconds ?? 0);
}

function orderOf(
  request: TokenRequest,
  { metadata }: ServiceAccount,
  bonds: Pick<IssueOrder, 'pod' | 'secret' | 'node'>,
  { audiences: own, extendExpiration, maxExtendedSeconds }: TokenRequestOptions,
): IssueOrder {
  const { name = '', namespace = '', uid = '' } = metadata;
  const audiences = request.spec.audiences ?? [];
  const expirationSeconds = secondsOf(request);
  const order = { namespace, serviceAccount: { name, uid }, ...bonds, audiences };
  const isInjected = bonds.pod !== undefined && expirationSeconds === INJECTED_SECONDS;
  if (!extendExpiration || !isInjected || !audiences.every((audience) => own.includes(audience))) {
    return { ...order, expirationSeconds };
  }
  // Programs that do not reload their token get warnings for a year before they fail.
  return { ...order, expirationSeconds: maxExtendedSeconds, warnAfterSeconds: expirationSeconds };
}
