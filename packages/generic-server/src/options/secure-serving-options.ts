import { errorOf, messageOf } from '@apiserver/apimachinery/errors';
import { type FlagSet, field, int32SliceValue, stringSliceValue } from '@apiserver/component-base/flags';
import { type GenericServerConfig, isHttp2Implementation } from '../config/generic-server-config.js';
import { type AuthoritySource, bundleOf } from '../dynamic-certificates/authority-source.js';
import {
  type NamedCertificateSource,
  ServingCertificateController,
} from '../dynamic-certificates/serving-certificate-controller.js';
import { servingContent } from '../dynamic-certificates/serving-content.js';
import {
  insecureCipherSuites,
  nodeTlsVersion,
  openSslCiphers,
  preferredCipherSuites,
  tlsVersions,
} from '../serving/tls/cipher-suites.js';
import { openSslGroups } from '../serving/tls/key-exchange-groups.js';
import type { TlsMaterial } from '../serving/tls/tls-material.js';
import { type NamedCertKey, namedCertKeysValue } from './named-cert-keys.js';

/** Paths of PEM files. */
export interface CertificateFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** Dependencies of serving besides flags. */
export interface ServingDependencies {
  /** Sent to clients. Default: none. */
  readonly authorities?: readonly AuthoritySource[];
  /** A generated pair, used if no flag names one. Upstream: GeneratedCert of SecureServingOptions */
  readonly generated?: CertificateFiles;
  /** True if the program issued `generated`. Default: false, as an operator may have put the pair there. */
  readonly isGeneratedOwn?: boolean;
}

/**
 * The port and its TLS: the "secure serving" section.
 * Upstream: k8s.io/apiserver/pkg/server/options.SecureServingOptions
 */
export class SecureServingOptions {
  /** `--bind-address` */
  bindAddress = '0.0.0.0';
  /** `--secure-port`; 0 takes a free one. */
  securePort = 443;
  /** `--cert-dir`: the folder of a generated certificate and key. "": the program chooses it. */
  certDirectory = '';
  /** `--tls-cert-file` */
  certFile = '';
  /** `--tls-private-key-file` */
  privateKeyFile = '';
  /** `--tls-sni-cert-key`: pairs for clients that ask for certain names. */
  namedCertKeys: readonly NamedCertKey[] = [];
  /** `--tls-cipher-suites`, by upstream's names; empty for the default. */
  cipherSuites: readonly string[] = [];
  /** `--tls-curve-preferences`, by IANA's numbers; empty for the default. */
  curvePreferences: readonly number[] = [];
  /** `--tls-min-version`; "" for TLS 1.2. */
  minTlsVersion = '';
  /** `--http2-max-streams-per-connection`; 0 for the default of 100. */
  http2MaxStreamsPerConnection = 0;
  /** `--disable-http2-serving` */
  disableHttp2 = false;
  /** `--http2-implementation`, which upstream does not have: `own` or `node`. */
  http2Implementation = 'own';
  /** `--permit-port-sharing` */
  permitPortSharing = false;
  /** `--permit-address-sharing`: SO_REUSEADDR, which Go and Node set on every listening port. */
  permitAddressSharing = false;

  addFlags(flags: FlagSet): void {
    flags.ip(
      'bind-address',
      field(this, 'bindAddress'),
      'IP address to listen on. 0.0.0.0 and :: stand for all addresses.',
    );
    flags.int(
      'secure-port',
      field(this, 'securePort'),
      'Port that serves HTTPS with authentication and authorization. 0: a free port, which the server prints.',
    );
    flags.int(
      'http2-max-streams-per-connection',
      field(this, 'http2MaxStreamsPerConnection'),
      'Maximum number of concurrent requests on one HTTP/2 connection. 0: the default of 100.',
    );
    flags.bool('disable-http2-serving', field(this, 'disableHttp2'), 'Serve HTTP/1.1 only.');
    flags.bool(
      'permit-port-sharing',
      field(this, 'permitPortSharing'),
      'Bind the port with SO_REUSEPORT, so that several servers can listen on the same address and port.',
    );
    flags.bool('permit-address-sharing', field(this, 'permitAddressSharing'), 'Bind the port with SO_REUSEADDR.', {
      noEffect: 'the port is always bound this way',
    });
    this.#addTlsFlags(flags);
  }

  #addTlsFlags(flags: FlagSet): void {
    flags.string(
      'cert-dir',
      field(this, 'certDirectory'),
      'Directory of generated TLS certificates. Unused with --tls-cert-file and --tls-private-key-file.',
    );
    flags.string(
      'tls-cert-file',
      field(this, 'certFile'),
      'PEM file of the HTTPS certificate, followed by its intermediate certificates. Default: a certificate that the server generates in --cert-dir.',
    );
    flags.string(
      'tls-private-key-file',
      field(this, 'privateKeyFile'),
      'PEM file of the private key of --tls-cert-file.',
    );
    flags.add(
      'tls-sni-cert-key',
      namedCertKeysValue(field(this, 'namedCertKeys')),
      'Certificate and private key files for clients that ask for certain names; repeatable. The names follow a colon: domains, domains with a leading wildcard, or IP addresses of this server. Default: the names in the certificate. Domains take precedence over wildcards, and names given here over those of certificates. Examples: "example.crt,example.key" or "foo.crt,foo.key:*.foo.com,foo.com".',
    );
    flags.add(
      'tls-cipher-suites',
      stringSliceValue(field(this, 'cipherSuites')),
      () =>
        `Comma-separated list of accepted cipher suites. None: the default.\nPreferred values: ${preferredCipherSuites().join(', ')}.\nInsecure values: ${insecureCipherSuites().join(', ')}.`,
    );
    flags.add(
      'tls-curve-preferences',
      int32SliceValue(field(this, 'curvePreferences')),
      'Comma-separated key exchange groups in any order, as numbers of crypto/tls (https://pkg.go.dev/crypto/tls#CurveID). None: the default. Example: "4588,29,23".',
    );
    flags.string(
      'tls-min-version',
      field(this, 'minTlsVersion'),
      `Minimum accepted version of TLS. Possible values: ${tlsVersions.join(', ')}`,
    );
  }

  /** Adds the flag that upstream does not have. */
  addImplementationFlags(flags: FlagSet): void {
    flags.string(
      'http2-implementation',
      field(this, 'http2Implementation'),
      'Implementation of HTTP/2: "own", that of this project, or "node", that of Node.js. "node" is slower and stricter; use it if "own" fails.',
    );
  }

  validate(): readonly Error[] {
    const errors: Error[] = [];
    if (this.securePort < 0 || this.securePort > 65_535) {
      errors.push(new Error(`--secure-port ${this.securePort} must be between 0 and 65535, inclusive`));
    }
    if (!isHttp2Implementation(this.http2Implementation)) {
      errors.push(new Error(`--http2-implementation ${this.http2Implementation} must be "own" or "node"`));
    }
    const checks = [
      () => openSslCiphers(this.cipherSuites),
      () => openSslGroups(this.curvePreferences),
      () => nodeTlsVersion(this.minTlsVersion),
    ];
    for (const check of checks) {
      try {
        check();
      } catch (error) {
        errors.push(errorOf(error));
      }
    }
    return errors;
  }

  /**
   * Loads and returns certificate and key. The running server follows their files. Throws if a file cannot be read, or
   * if neither a flag nor the program names one.
   */
  applyTo(config: GenericServerConfig, dependencies: ServingDependencies = {}): TlsMaterial {
    const { authorities = [], generated, isGeneratedOwn = false } = dependencies;
    const files = this.#servingFiles(generated);
    const serving = servingContent(files.certificateFile, files.keyFile, config, {
      reader: config.certificates,
    });
    const named = this.#namedContents(config);
    const minVersion = nodeTlsVersion(this.minTlsVersion);
    const { cipherSuites, curvePreferences: curves, http2Implementation } = this;
    const current = (): TlsMaterial => {
      const [certificate = '', key = ''] = serving.contents;
      return {
        certificate,
        key,
        clientCA: authorities.map(bundleOf).join('\n'),
        minVersion,
        cipherSuites,
        curves,
        named: named.map(({ files: { contents }, names }) => {
          const [certificate = '', key = ''] = contents;
          return { certificate, key, names };
        }),
      };
    };
    const tls = current();
    config.secureServing = {
      address: this.bindAddress,
      port: this.securePort,
      sharePort: this.permitPortSharing,
      http2MaxStreamsPerConnection: this.http2MaxStreamsPerConnection,
      disableHttp2: this.disableHttp2,
      http2Implementation: isHttp2Implementation(http2Implementation) ? http2Implementation : 'own',
      tls,
      areCertificatesOwn: isGeneratedOwn && files === generated && named.length === 0,
      followTls: (changed, signal) =>
        new ServingCertificateController({ serving, named, authorities, material: current }, config).follow(
          changed,
          signal,
        ),
    };
    return tls;
  }

  #servingFiles(generated: ServingDependencies['generated']): CertificateFiles {
    const { certFile: certificateFile, privateKeyFile: keyFile } = this;
    const files = certificateFile === '' && keyFile === '' ? generated : { certificateFile, keyFile };
    if (files === undefined || files.certificateFile === '' || files.keyFile === '') {
      throw new Error('a certificate for HTTPS is needed: --tls-cert-file and --tls-private-key-file');
    }
    return files;
  }

  #namedContents(config: GenericServerConfig): readonly NamedCertificateSource[] {
    return this.namedCertKeys.map(({ certFile, keyFile, names }) => {
      try {
        return { files: servingContent(certFile, keyFile, config, { purpose: 'sni-serving-cert' }), names };
      } catch (error) {
        throw new Error(`failed to load SNI cert and key: ${messageOf(error)}`);
      }
    });
  }
}
