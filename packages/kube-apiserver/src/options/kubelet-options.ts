import type { KubeletClientConfig } from '@apiserver/builtin-resources';
import { type FlagSet, field } from '@apiserver/component-base/flags';
import { type KubeletTransportOptions, KubeletTransports } from './kubelet-transports.js';

/** Upstream: KubeletPort and KubeletReadOnlyPort of pkg/cluster/ports */
const KUBELET_PORT = 10_250;
const KUBELET_READ_ONLY_PORT = 10_255;

/**
 * Connections to kubelets: for logs, commands and forwarded ports.
 * Upstream: KubeletConfig of cmd/kube-apiserver/app/options and pkg/controlplane/apiserver/options
 */
export class KubeletOptions {
  /** `--kubelet-preferred-address-types` */
  preferredAddressTypes: readonly string[] = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];
  /** `--kubelet-port` */
  port = KUBELET_PORT;
  /** `--kubelet-read-only-port`: upstream reads and ignores it, too. */
  readOnlyPort = KUBELET_READ_ONLY_PORT;
  /** `--kubelet-timeout`: milliseconds. Upstream reads and ignores it. Here it limits the time for connecting. */
  timeout = 5_000;
  /** `--kubelet-client-certificate` */
  clientCertificateFile = '';
  /** `--kubelet-client-key` */
  clientKeyFile = '';
  /** `--kubelet-certificate-authority`: "" verifies nothing. */
  certificateAuthorityFile = '';

  addFlags(flags: FlagSet): void {
    flags.stringSlice(
      'kubelet-preferred-address-types',
      field(this, 'preferredAddressTypes'),
      'Types of node addresses for connections to kubelets, in order of preference.',
    );
    flags.uint('kubelet-port', field(this, 'port'), 'Port of kubelets whose nodes do not report one.', {
      deprecated: 'kubelet-port is deprecated and will be removed.',
    });
    flags.uint('kubelet-read-only-port', field(this, 'readOnlyPort'), 'Read-only port of kubelets.', {
      deprecated: 'kubelet-read-only-port is deprecated and will be removed.',
      noEffect: 'the server never uses this port',
    });
    flags.duration('kubelet-timeout', field(this, 'timeout'), 'Timeout of connecting to a kubelet.');
    flags.string(
      'kubelet-client-certificate',
      field(this, 'clientCertificateFile'),
      'PEM file of the client certificate for kubelets.',
    );
    flags.string(
      'kubelet-client-key',
      field(this, 'clientKeyFile'),
      'PEM file of the private key of --kubelet-client-certificate.',
    );
    flags.string(
      'kubelet-certificate-authority',
      field(this, 'certificateAuthorityFile'),
      'PEM file of certificate authorities that verify kubelets. Default: kubelets are not verified.',
    );
  }

  validate(): readonly Error[] {
    const errors: Error[] = [];
    if (this.port < 1 || this.port > 65_535) {
      errors.push(new Error(`--kubelet-port ${this.port} must be between 1 and 65535, inclusive`));
    }
    if (this.timeout <= 0) errors.push(new Error('--kubelet-timeout must be greater than 0'));
    if ((this.clientCertificateFile === '') !== (this.clientKeyFile === '')) {
      errors.push(new Error('--kubelet-client-certificate and --kubelet-client-key must be specified together'));
    }
    return errors;
  }

  /** Reads the files. Throws an Error that names the one that cannot be read. */
  clientConfig(now: () => number, dial?: KubeletClientConfig['transport']['dial']): KubeletClientConfig {
    return new KubeletClient(this, {
      certificateFile: this.clientCertificateFile,
      keyFile: this.clientKeyFile,
      authorityFile: this.certificateAuthorityFile,
      connectTimeout: this.timeout,
      now,
      dial,
    });
  }
}

class KubeletClient extends KubeletTransports implements KubeletClientConfig {
  readonly preferredAddressTypes: KubeletClientConfig['preferredAddressTypes'];
  readonly port: number;

  constructor({ preferredAddressTypes, port }: KubeletOptions, transports: KubeletTransportOptions) {
    super(transports);
    this.preferredAddressTypes = preferredAddressTypes;
    this.port = port;
  }
}
