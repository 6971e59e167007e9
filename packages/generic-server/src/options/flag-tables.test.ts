import { type FlagSet, NamedFlagSets } from '@apiserver/component-base/flags';
import { describe, expect, it } from 'vitest';
import { upstreamFlags } from '../testing/upstream-flags.js';
import { AuthenticationOptions } from './authentication-options.js';
import { AuthorizationOptions } from './authorization-options.js';
import { DelegatingAuthenticationOptions } from './delegating-authentication-options.js';
import { DelegatingAuthorizationOptions } from './delegating-authorization-options.js';
import { EgressSelectorOptions } from './egress-selector-options.js';
import { ProfilingOptions } from './profiling-options.js';
import { SecureServingOptions } from './secure-serving-options.js';
import { ServerRunOptions } from './server-run-options.js';

type FlagRow = readonly [name: string, type: string, byDefault: string];

const UPSTREAM = new Map(Object.values(upstreamFlags).flatMap((flags) => flags.map((flag) => [flag[0], flag])));

/** A name stands for the type and the default of upstream. */
function rowOf(flag: string | FlagRow): FlagRow {
  if (typeof flag !== 'string') return flag;
  const [name, type, byDefault] = UPSTREAM.get(flag) ?? [flag, 'no flag of upstream', ''];
  return [name, type, byDefault];
}

/**
 * The flags of each section; those with another default than in kube-apiserver, or of this project, with all columns.
 */
const FLAGS: Readonly<Record<string, readonly (string | FlagRow)[]>> = {
  SecureServingOptions: [
    'bind-address',
    ['cert-dir', 'string', ''],
    'disable-http2-serving',
    ['http2-implementation', 'string', 'own'],
    'http2-max-streams-per-connection',
    'permit-address-sharing',
    'permit-port-sharing',
    ['secure-port', 'int', '443'],
    'tls-cert-file',
    'tls-cipher-suites',
    'tls-curve-preferences',
    'tls-min-version',
    'tls-private-key-file',
    'tls-sni-cert-key',
  ],
  ServerRunOptions: [
    'advertise-address',
    'cors-allowed-origins',
    'enable-priority-and-fairness',
    'external-hostname',
    'goaway-chance',
    'livez-grace-period',
    'max-mutating-requests-inflight',
    'max-requests-inflight',
    'min-request-timeout',
    'request-timeout',
    'shutdown-delay-duration',
    'shutdown-send-retry-after',
    'shutdown-watch-termination-grace-period',
    'storage-initialization-timeout',
    'strict-transport-security-directives',
  ],
  AuthenticationOptions: [
    'anonymous-auth',
    'api-audiences',
    'authentication-config',
    'authentication-token-webhook-cache-ttl',
    'authentication-token-webhook-config-file',
    'authentication-token-webhook-version',
    'client-ca-file',
    'enable-bootstrap-token-auth',
    'oidc-ca-file',
    'oidc-client-id',
    'oidc-groups-claim',
    'oidc-groups-prefix',
    'oidc-issuer-url',
    'oidc-required-claim',
    'oidc-signing-algs',
    'oidc-username-claim',
    'oidc-username-prefix',
    'requestheader-allowed-names',
    'requestheader-client-ca-file',
    'requestheader-extra-headers-prefix',
    'requestheader-group-headers',
    'requestheader-uid-headers',
    'requestheader-username-headers',
    'token-auth-file',
  ],
  AuthorizationOptions: [
    'authorization-config',
    'authorization-mode',
    'authorization-policy-file',
    'authorization-webhook-cache-authorized-ttl',
    'authorization-webhook-cache-unauthorized-ttl',
    'authorization-webhook-config-file',
    'authorization-webhook-version',
  ],
  DelegatingAuthenticationOptions: [
    ['authentication-kubeconfig', 'string', ''],
    ['authentication-skip-lookup', 'bool', 'false'],
    ['authentication-token-webhook-cache-ttl', 'duration', '10s'],
    ['authentication-tolerate-lookup-failure', 'bool', 'false'],
    'client-ca-file',
    'requestheader-allowed-names',
    'requestheader-client-ca-file',
    ['requestheader-extra-headers-prefix', 'strings', '[x-remote-extra-]'],
    ['requestheader-group-headers', 'strings', '[x-remote-group]'],
    'requestheader-uid-headers',
    ['requestheader-username-headers', 'strings', '[x-remote-user]'],
  ],
  DelegatingAuthorizationOptions: [
    ['authorization-always-allow-paths', 'strings', '[/healthz,/readyz,/livez]'],
    ['authorization-kubeconfig', 'string', ''],
    ['authorization-webhook-cache-authorized-ttl', 'duration', '10s'],
    ['authorization-webhook-cache-unauthorized-ttl', 'duration', '10s'],
  ],
  ProfilingOptions: ['contention-profiling', 'debug-socket-path', 'profiling'],
  EgressSelectorOptions: ['egress-selector-config-file'],
};

/** Facts of the help: units, defaults, the meaning of zero, and possible values. */
const FACTS: readonly (readonly [string, string, readonly string[]])[] = [
  ['SecureServingOptions', 'bind-address', ['0.0.0.0 and :: stand for all addresses']],
  ['SecureServingOptions', 'cert-dir', ['Unused with --tls-cert-file and --tls-private-key-file']],
  ['SecureServingOptions', 'disable-http2-serving', ['Serve HTTP/1.1 only']],
  ['SecureServingOptions', 'http2-implementation', ['"own", that of this project', '"node", that of Node.js']],
  ['SecureServingOptions', 'http2-max-streams-per-connection', ['0: the default of 100']],
  ['SecureServingOptions', 'permit-address-sharing', ['SO_REUSEADDR']],
  ['SecureServingOptions', 'permit-port-sharing', ['SO_REUSEPORT']],
  ['SecureServingOptions', 'secure-port', ['0: a free port']],
  ['SecureServingOptions', 'tls-cert-file', ['PEM file', 'generates in --cert-dir']],
  [
    'SecureServingOptions',
    'tls-cipher-suites',
    [
      'None: the default.\nPreferred values: TLS_AES_128_GCM_SHA256, TLS_AES_256_GCM_SHA384, ',
      '.\nInsecure values: TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256, TLS_ECDHE_ECDSA_WITH_RC4_128_SHA, ',
    ],
  ],
  ['SecureServingOptions', 'tls-curve-preferences', ['in any order', 'None: the default. Example: "4588,29,23"']],
  ['SecureServingOptions', 'tls-min-version', ['values: VersionTLS10, VersionTLS11, VersionTLS12, VersionTLS13']],
  ['SecureServingOptions', 'tls-private-key-file', ['PEM file', '--tls-cert-file']],
  ['SecureServingOptions', 'tls-sni-cert-key', ['Default: the names in the certificate', '"example.crt,example.key"']],
  ['ServerRunOptions', 'advertise-address', ['Default: the address of --bind-address']],
  [
    'ServerRunOptions',
    'cors-allowed-origins',
    ['none turns CORS off', "begin it with '^' or '//', end it with '$' or ':'"],
  ],
  ['ServerRunOptions', 'enable-priority-and-fairness', ['False: the two flags --max-*-inflight limit requests']],
  ['ServerRunOptions', 'external-hostname', ['external clients']],
  ['ServerRunOptions', 'goaway-chance', ['0: none; maximum .02', 'HTTP/2']],
  ['ServerRunOptions', 'livez-grace-period', ['/livez ignores unfinished post-start hooks']],
  [
    'ServerRunOptions',
    'max-mutating-requests-inflight',
    ['mutating', '0: no limit', 'plus --max-requests-inflight is'],
  ],
  [
    'ServerRunOptions',
    'max-requests-inflight',
    ['read-only', '0: no limit', 'plus --max-mutating-requests-inflight is'],
  ],
  ['ServerRunOptions', 'min-request-timeout', ['in seconds', 'below twice this value']],
  ['ServerRunOptions', 'request-timeout', ['except watches', '?timeout=']],
  ['ServerRunOptions', 'shutdown-delay-duration', ['/readyz fails']],
  ['ServerRunOptions', 'shutdown-send-retry-after', ['429 and Retry-After']],
  ['ServerRunOptions', 'shutdown-watch-termination-grace-period', ['0: all are closed together']],
  ['ServerRunOptions', 'storage-initialization-timeout', ['watch caches']],
  ['ServerRunOptions', 'strict-transport-security-directives', ["'max-age=31536000,includeSubDomains,preload'"]],
  ['AuthenticationOptions', 'anonymous-auth', ['system:anonymous in group system:unauthenticated']],
  ['AuthenticationOptions', 'api-audiences', ['Default: the issuers of the tokens']],
  ['AuthenticationOptions', 'authentication-config', ['excludes --oidc-* flags, and --anonymous-auth if']],
  ['AuthenticationOptions', 'authentication-token-webhook-cache-ttl', ['the review of a token is cached']],
  ['AuthenticationOptions', 'authentication-token-webhook-config-file', ['Kubeconfig of a webhook']],
  [
    'AuthenticationOptions',
    'authentication-token-webhook-version',
    ['authentication.k8s.io TokenReview', 'v1 or v1beta1'],
  ],
  ['AuthenticationOptions', 'client-ca-file', ['PEM file', 'the user of its common name']],
  ['AuthenticationOptions', 'enable-bootstrap-token-auth', ["'bootstrap.kubernetes.io/token' in kube-system"]],
  ['AuthenticationOptions', 'oidc-ca-file', ['PEM file', 'Default: the authorities of Node']],
  ['AuthenticationOptions', 'oidc-client-id', ['audience']],
  ['AuthenticationOptions', 'oidc-groups-claim', ['a string or an array of strings']],
  ['AuthenticationOptions', 'oidc-groups-prefix', ['Prefix of the groups']],
  ['AuthenticationOptions', 'oidc-issuer-url', ['It must be an https URL']],
  ['AuthenticationOptions', 'oidc-required-claim', ['key=value. Repeatable']],
  [
    'AuthenticationOptions',
    'oidc-signing-algs',
    ['comma separated: RS256, RS384, RS512, ES256, ES384, ES512, PS256, PS384, PS512.'],
  ],
  ['AuthenticationOptions', 'oidc-username-claim', ['the user name']],
  ['AuthenticationOptions', 'oidc-username-prefix', [`the issuer's URL and "#"`, "'-' for no prefix"]],
  ['AuthenticationOptions', 'requestheader-allowed-names', ['None: every certificate']],
  ['AuthenticationOptions', 'requestheader-client-ca-file', ['PEM file', '--requestheader-username-headers']],
  ['AuthenticationOptions', 'requestheader-extra-headers-prefix', ['X-Remote-Extra- is suggested']],
  ['AuthenticationOptions', 'requestheader-group-headers', ['X-Remote-Group is suggested']],
  ['AuthenticationOptions', 'requestheader-uid-headers', ['X-Remote-Uid is suggested']],
  ['AuthenticationOptions', 'requestheader-username-headers', ['X-Remote-User is common']],
  ['AuthenticationOptions', 'token-auth-file', ['token, user name, user uid and, in quotes, groups']],
  ['AuthorizationOptions', 'authorization-config', ['excludes --authorization-mode and --authorization-webhook-*']],
  [
    'AuthorizationOptions',
    'authorization-mode',
    ['AlwaysAllow, AlwaysDeny, ABAC, Webhook, RBAC, Node. Default: AlwaysAllow, unless --authorization-config is set.'],
  ],
  ['AuthorizationOptions', 'authorization-policy-file', ['--authorization-mode=ABAC: one JSON object on each line']],
  ['AuthorizationOptions', 'authorization-webhook-cache-authorized-ttl', ['permission is cached']],
  [
    'AuthorizationOptions',
    'authorization-webhook-cache-unauthorized-ttl',
    ['any other response of the webhook is cached'],
  ],
  ['AuthorizationOptions', 'authorization-webhook-config-file', ['--authorization-mode=Webhook']],
  [
    'AuthorizationOptions',
    'authorization-webhook-version',
    ['authorization.k8s.io SubjectAccessReview', 'v1 or v1beta1'],
  ],
  ['DelegatingAuthenticationOptions', 'authentication-kubeconfig', ['tokenreviews.authentication.k8s.io']],
  ['DelegatingAuthenticationOptions', 'authentication-skip-lookup', ['Do not ask the core server']],
  ['DelegatingAuthenticationOptions', 'authentication-tolerate-lookup-failure', ['may then count as anonymous']],
  ['DelegatingAuthorizationOptions', 'authorization-always-allow-paths', ['comma separated', 'everybody may use']],
  ['DelegatingAuthorizationOptions', 'authorization-kubeconfig', ['subjectaccessreviews.authorization.k8s.io']],
  ['DelegatingAuthorizationOptions', 'authorization-webhook-cache-authorized-ttl', ['the core server has allowed']],
  ['DelegatingAuthorizationOptions', 'authorization-webhook-cache-unauthorized-ttl', ['any other response']],
  ['ProfilingOptions', 'contention-profiling', ['if --profiling is on']],
  ['ProfilingOptions', 'debug-socket-path', ['without authentication and authorization', 'is removed']],
  ['ProfilingOptions', 'profiling', ['/debug/pprof/', '/debug/flags/']],
  ['EgressSelectorOptions', 'egress-selector-config-file', ['EgressSelectorConfiguration']],
];

/** The flags without an effect, and the reason. */
const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  'permit-address-sharing': 'the port is always bound this way',
  'contention-profiling': 'the server runs on one thread, which never waits for a lock',
};

const newOptions: Readonly<Record<string, () => { addFlags(flags: FlagSet): void }>> = {
  SecureServingOptions: () => new SecureServingOptions(),
  ServerRunOptions: () => new ServerRunOptions(),
  AuthenticationOptions: () => new AuthenticationOptions(),
  AuthorizationOptions: () => new AuthorizationOptions(),
  DelegatingAuthenticationOptions: () => new DelegatingAuthenticationOptions(),
  DelegatingAuthorizationOptions: () => new DelegatingAuthorizationOptions(),
  ProfilingOptions: () => new ProfilingOptions(),
  EgressSelectorOptions: () => new EgressSelectorOptions(),
};

function flagsOf(section: string) {
  const sets = new NamedFlagSets();
  const options = newOptions[section]?.();
  options?.addFlags(sets.section(section));
  if (options instanceof SecureServingOptions) options.addImplementationFlags(sets.section(section));
  return sets.all();
}

describe.each(Object.keys(FLAGS))('the flags of %s', (section) => {
  it('have names, types and defaults', () => {
    expect(flagsOf(section).map(({ name, value }) => [name, value.typeName, String(value)])).toEqual(
      FLAGS[section]?.map(rowOf),
    );
  });

  it('say whether they have an effect', () => {
    const reasons = flagsOf(section).map(({ name, noEffect }) => [name, noEffect]);
    expect(reasons).toEqual(reasons.map(([name = '']) => [name, WITHOUT_EFFECT[name] ?? '']));
  });

  it('are neither hidden nor deprecated', () => {
    const states = flagsOf(section).map(({ changed, deprecated, hidden, shorthand }) => [
      ...[changed, hidden, deprecated, shorthand],
    ]);
    expect(states).toEqual(states.map(() => [false, false, '', '']));
  });

  it('have a help of sentences', () => {
    const usages = flagsOf(section).map(({ usage }) => usage);
    expect(usages.filter((usage) => !/^[A-Z].{15,}[.'"3]$/s.test(usage))).toEqual([]);
  });
});

describe('the help', () => {
  it.each(FACTS)('of %s --%s tells its facts', (section, name, facts) => {
    const usage = flagsOf(section).find((flag) => flag.name === name)?.usage ?? '';
    expect(facts.filter((fact) => !usage.includes(fact))).toEqual([]);
  });

  it.each([
    [
      ...['authentication-kubeconfig', false],
      'Kubeconfig of the core server, with a user who may create tokenreviews.authentication.k8s.io. Default: the cluster that this server runs in.',
    ],
    [
      ...['authorization-kubeconfig', false],
      'Kubeconfig of the core server, with a user who may create subjectaccessreviews.authorization.k8s.io. Default: the cluster that this server runs in.',
    ],
    [
      ...['authentication-kubeconfig', true],
      'Kubeconfig of the core server, with a user who may create tokenreviews.authentication.k8s.io. Default: the cluster that this server runs in. Without it every token counts as anonymous, and the core server is not asked for authorities.',
    ],
    [
      ...['authorization-kubeconfig', true],
      'Kubeconfig of the core server, with a user who may create subjectaccessreviews.authorization.k8s.io. Default: the cluster that this server runs in. Without it every request is forbidden that authorization does not skip.',
    ],
  ] as const)('of --%s, optional: %s', (name, isKubeconfigOptional, help) => {
    const sets = new NamedFlagSets();
    for (const options of [new DelegatingAuthenticationOptions(), new DelegatingAuthorizationOptions()]) {
      Object.assign(options, { isKubeconfigOptional }).addFlags(sets.section('access'));
    }
    expect(sets.all().find((flag) => flag.name === name)?.usage).toBe(help);
  });
});
