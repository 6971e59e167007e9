import { readFileSync } from 'node:fs';
import { errorOf, goFileError } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import type { JwtConfiguration } from '@apiserver/authentication/oidc';
import { type FlagSet, type FlagTarget, field, stringMapValue } from '@apiserver/component-base/flags';
import { StartupError } from '@apiserver/component-base/process';

/** Prefix of user names by the issuer. Upstream: "Old behavior" of pkg/kubeapiserver/options */
const NO_PREFIX = '-';

/** Upstream: allowedSigningAlgs of k8s.io/apiserver/plugin/pkg/authenticator/token/oidc */
export const ALL_ALGORITHMS: readonly string[] = [
  ...['ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512'],
];
/** Upstream: the default of its New, for an empty list. */
const DEFAULT_ALGORITHMS: readonly string[] = ['RS256'];

/**
 * One issuer of tokens by flags: `--oidc-*` of the "authentication" section.
 * Upstream: OIDCAuthenticationOptions of pkg/kubeapiserver/options
 */
export class OidcOptions {
  /** `--oidc-issuer-url`; "": no issuer. */
  issuerUrl = '';
  /** `--oidc-client-id` */
  clientId = '';
  /** `--oidc-ca-file` */
  caFile = '';
  /** `--oidc-username-claim` */
  usernameClaim = 'sub';
  /** `--oidc-username-prefix` */
  usernamePrefix = '';
  /** `--oidc-groups-claim` */
  groupsClaim = '';
  /** `--oidc-groups-prefix` */
  groupsPrefix = '';
  /** `--oidc-signing-algs` */
  signingAlgorithms: readonly string[] = DEFAULT_ALGORITHMS;
  /** `--oidc-required-claim` */
  requiredClaims: Readonly<Record<string, string>> = {};
  /** True if any of the flags was given. */
  flagsSet = false;

  addFlags(flags: FlagSet): void {
    flags.string(
      'oidc-issuer-url',
      this.#tracked('issuerUrl'),
      'URL of an OpenID Connect issuer whose tokens are accepted. It must be an https URL.',
    );
    flags.string('oidc-client-id', this.#tracked('clientId'), 'The audience that tokens of the issuer must have.');
    flags.string(
      'oidc-ca-file',
      this.#tracked('caFile'),
      'PEM file of authorities that verify the certificate of the issuer. Default: the authorities of Node.',
    );
    this.#addClaimFlags(flags);
    flags.stringSlice(
      'oidc-signing-algs',
      this.#tracked('signingAlgorithms'),
      'Signature algorithms of tokens, comma separated: RS256, RS384, RS512, ES256, ES384, ES512, PS256, PS384, PS512.',
    );
    flags.add(
      'oidc-required-claim',
      stringMapValue(this.#tracked('requiredClaims')),
      'A claim that tokens must have, as key=value. Repeatable.',
    );
  }

  #addClaimFlags(flags: FlagSet): void {
    flags.string('oidc-username-claim', this.#tracked('usernameClaim'), 'The claim that is the user name.');
    flags.string(
      'oidc-username-prefix',
      this.#tracked('usernamePrefix'),
      "Prefix of user names. Default: the issuer's URL and \"#\", but none for the claim 'email'. '-' for no prefix.",
    );
    flags.string(
      'oidc-groups-claim',
      this.#tracked('groupsClaim'),
      'The claim with the groups of the user: a string or an array of strings.',
    );
    flags.string('oidc-groups-prefix', this.#tracked('groupsPrefix'), 'Prefix of the groups of the claim.');
  }

  /** `hasFile`: an authentication configuration is given, which excludes these flags. */
  validate(hasFile: boolean): readonly Error[] {
    if (!this.flagsSet) return [];
    if (hasFile) return [new Error('authentication-config file and oidc-* flags are mutually exclusive')];
    if (this.issuerUrl !== '' && this.clientId !== '') return [];
    return [new Error('oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set')];
  }

  /** The algorithms of a configuration by flags. Throws a StartupError for one that tokens cannot have. */
  algorithms(): readonly string[] {
    const { signingAlgorithms } = this;
    const wrong = signingAlgorithms.find((algorithm) => !ALL_ALGORITHMS.includes(algorithm));
    if (wrong !== undefined) throw new StartupError(`oidc: unsupported signing alg: ${quote(wrong)}`);
    return signingAlgorithms.length === 0 ? DEFAULT_ALGORITHMS : signingAlgorithms;
  }

  /** The issuer as part of a configuration; undefined if there is none. Throws an Error for an unreadable file. */
  configuration(): JwtConfiguration | undefined {
    if (this.issuerUrl === '' || this.clientId === '') return undefined;
    const { groupsClaim, groupsPrefix } = this;
    const required = Object.entries(this.requiredClaims);
    return {
      issuer: {
        url: this.issuerUrl,
        audiences: [this.clientId],
        ...(this.caFile === '' ? undefined : { certificateAuthority: this.#readAuthority() }),
      },
      claimMappings: {
        username: { claim: this.usernameClaim, prefix: this.#userPrefix() },
        ...(groupsClaim === '' ? undefined : { groups: { claim: groupsClaim, prefix: groupsPrefix } }),
      },
      claimValidationRules: required.map(([claim, requiredValue]) => ({ claim, requiredValue })),
    };
  }

  #userPrefix(): string {
    if (this.usernamePrefix === NO_PREFIX) return '';
    if (this.usernamePrefix !== '' || this.usernameClaim === 'email') return this.usernamePrefix;
    return `${this.issuerUrl}#`;
  }

  #readAuthority(): string {
    try {
      return readFileSync(this.caFile, 'utf8');
    } catch (error) {
      throw new StartupError(goFileError('open', this.caFile, errorOf(error)), { cause: error });
    }
  }

  #tracked<K extends keyof this>(key: K): FlagTarget<this[K]> {
    const target = field(this, key);
    return {
      get: () => target.get(),
      set: (value) => {
        this.flagsSet = true;
        target.set(value);
      },
    };
  }
}
