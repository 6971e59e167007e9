import { quote } from '@apiserver/apimachinery/text';
import { type FlagSet, field, formatGoDuration, stringArrayValue } from '@apiserver/component-base/flags';

/** The default issuer of tokens, as in most clusters. */
const DEFAULT_ISSUER = 'https://kubernetes.default.svc.cluster.local';

const HOUR = 60 * 60 * 1000;

/**
 * Options of service account tokens: flags of the "authentication" section. Upstream requires an issuer and keys.
 * Here both have defaults, so that a server runs without flags.
 * Upstream: ServiceAccountAuthenticationOptions of pkg/kubeapiserver/options, and completeServiceAccountOptions of
 * pkg/controlplane/apiserver/options
 */
export class ServiceAccountOptions {
  /** `--service-account-issuer`: the first one issues tokens, and all are accepted. */
  issuers: readonly string[] = [DEFAULT_ISSUER];
  /** `--service-account-key-file`; if empty, the public half of the signing key verifies. */
  keyFiles: readonly string[] = [];
  /** `--service-account-signing-key-file`; "" for the server's own, below the data folder. */
  signingKeyFile = '';
  /** `--service-account-signing-endpoint`; "": no external signer. */
  signingEndpoint = '';
  /** `--service-account-lookup` */
  lookup = true;
  /** `--service-account-jwks-uri` */
  jwksUri = '';
  /** `--service-account-max-token-expiration`, in milliseconds; 0 for the requested duration. */
  maxExpiration = 0;
  /** `--service-account-extend-token-expiration` */
  extendExpiration = true;

  addFlags(flags: FlagSet): void {
    flags.add(
      'service-account-issuer',
      stringArrayValue(field(this, 'issuers')),
      'Issuer of service account tokens, as an https URL. Repeatable: the first one issues tokens, those of all are accepted.',
    );
    flags.add(
      'service-account-key-file',
      stringArrayValue(field(this, 'keyFiles')),
      'PEM file of keys or certificates that verify service account tokens. Repeatable. Default: the signing key.',
    );
    flags.bool(
      'service-account-lookup',
      field(this, 'lookup'),
      'For a token that is stored in a secret, check that its secret and service account still exist.',
    );
    flags.string(
      'service-account-jwks-uri',
      field(this, 'jwksUri'),
      'https URL of the keys that verify service account tokens, for the discovery document. Default: this server.',
    );
    flags.duration(
      'service-account-max-token-expiration',
      field(this, 'maxExpiration'),
      'Maximum lifetime of a token; longer requests are shortened to it. 0: no maximum.',
    );
    flags.bool(
      'service-account-extend-token-expiration',
      field(this, 'extendExpiration'),
      'Extend tokens that kubelets request to one year, and count their use after the requested expiration.',
    );
  }

  /** Flags of the "misc" section. */
  addSigningFlags(flags: FlagSet): void {
    flags.string(
      'service-account-signing-endpoint',
      field(this, 'signingEndpoint'),
      'Unix socket of an external program that signs service account tokens, and has the keys that verify them.',
    );
    flags.string(
      'service-account-signing-key-file',
      field(this, 'signingKeyFile'),
      'PEM file of the private key that signs service account tokens. Default: a key that the server generates.',
    );
  }

  validate(): readonly Error[] {
    return [
      ...this.#validateIssuers(),
      ...this.#validateSigning(),
      ...this.#validateJwksUri(),
      ...this.#validateMaxExpiration(),
    ].map((message) => new Error(message));
  }

  #validateIssuers(): string[] {
    if (this.issuers.length === 0) return ['service-account-issuer is a required flag'];
    return this.issuers.flatMap((issuer, index) => {
      if (issuer.includes(':') && !URL.canParse(issuer)) {
        return [
          `service-account-issuer ${quote(issuer)} contained a ':' but was not a valid URL: parse ${quote(issuer)}`,
        ];
      }
      if (issuer === '') return ['service-account-issuer should not be an empty string'];
      const isKnown = this.issuers.indexOf(issuer) < index;
      return isKnown ? [`service-account-issuer ${quote(issuer)} is already specified`] : [];
    });
  }

  /** Upstream: completeServiceAccountOptions, and ToAuthenticationConfig of pkg/kubeapiserver/options */
  #validateSigning(): string[] {
    if (this.signingEndpoint === '') return [];
    const keyFile =
      'service-account-signing-key-file and service-account-signing-endpoint are mutually exclusive and cannot be set at the same time';
    const keyFiles =
      'cannot set mutually exclusive flags `--service-account-key-file` and `--service-account-signing-endpoint` at the same time';
    return [...(this.signingKeyFile === '' ? [] : [keyFile]), ...(this.keyFiles.length === 0 ? [] : [keyFiles])];
  }

  #validateJwksUri(): string[] {
    if (this.jwksUri === '') return [];
    if (!URL.canParse(this.jwksUri)) {
      return [`service-account-jwks-uri must be a valid URL: parse ${quote(this.jwksUri)}`];
    }
    const { protocol, href } = new URL(this.jwksUri);
    return protocol === 'https:' ? [] : [`service-account-jwks-uri requires https scheme, parsed as: ${href}`];
  }

  #validateMaxExpiration(): string[] {
    const { maxExpiration } = this;
    if (maxExpiration === 0 || (maxExpiration >= HOUR && maxExpiration <= 2 ** 32 * 1000)) return [];
    return ['the service-account-max-token-expiration must be between 1 hour and 2^32 seconds'];
  }

  /**
   * Warnings about combinations of flags, for administrators. `maxExpiration` is the maximum in use, which an external
   * signer may have set.
   */
  warnings(maxExpiration = this.maxExpiration): readonly string[] {
    const isExternal = this.signingEndpoint !== '';
    if (!this.extendExpiration || maxExpiration === 0) return [];
    const injected = 60 * 60 + 7;
    const extended = 24 * 365 * 60 * 60;
    const given = formatGoDuration(maxExpiration);
    const start = 'service-account-extend-token-expiration is true,';
    const [tooShort, shortened] = isExternal
      ? [
          `${start} in order to correctly trigger safe transition logic, token lifetime supported by external-jwt-signer must be longer than ${injected} seconds (currently ${given})`,
          `${start} tokens validity will be caped at the smaller of ${extended} seconds and maximum token lifetime supported by external-jwt-signer (${given})`,
        ]
      : [
          `${start} in order to correctly trigger safe transition logic, service-account-max-token-expiration must be set longer than ${injected} seconds (currently ${given})`,
          `${start} enabling tokens valid up to ${extended} seconds, which is longer than service-account-max-token-expiration set to ${given}`,
        ];
    return [
      ...(maxExpiration < injected * 1000 ? [tooShort] : []),
      ...(maxExpiration < extended * 1000 ? [shortened] : []),
    ];
  }
}
