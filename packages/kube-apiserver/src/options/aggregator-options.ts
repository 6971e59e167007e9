import { type FlagSet, field } from '@apiserver/component-base/flags';
import { type DynamicFiles, type FollowingProcess, servingContent } from '@apiserver/generic-server';

/** Settings of the proxy to other servers. */
export interface AggregatorSettings {
  readonly routeToEndpoints: boolean;
  readonly rejectRedirects: boolean;
  /** Client certificate and key; undefined: none. */
  readonly certificate: DynamicFiles | undefined;
}

/**
 * Options of the proxy to APIServices with a service: flags of the "misc" section.
 * Upstream: pkg/controlplane/apiserver/options, cmd/kube-apiserver/app/options
 */
export class AggregatorOptions {
  /** `--proxy-client-cert-file` */
  proxyClientCertFile = '';
  /** `--proxy-client-key-file` */
  proxyClientKeyFile = '';
  /** `--enable-aggregator-routing` */
  enableAggregatorRouting = false;
  /** `--aggregator-reject-forwarding-redirect` */
  rejectForwardingRedirects = true;

  addFlags(flags: FlagSet): void {
    flags.string(
      'proxy-client-cert-file',
      field(this, 'proxyClientCertFile'),
      'PEM file of the client certificate that identifies this server to extension servers, which then trust its X-Remote headers.',
    );
    flags.string(
      'proxy-client-key-file',
      field(this, 'proxyClientKeyFile'),
      'PEM file of the private key of --proxy-client-cert-file.',
    );
    flags.bool(
      'enable-aggregator-routing',
      field(this, 'enableAggregatorRouting'),
      "Send requests to an extension server's endpoints instead of the cluster IP of its service.",
    );
    flags.bool(
      'aggregator-reject-forwarding-redirect',
      field(this, 'rejectForwardingRedirects'),
      'Do not forward redirects of extension servers to clients.',
    );
  }

  /** Throws an Error for files that cannot be read or do not belong together. */
  load(process: FollowingProcess): AggregatorSettings {
    const { proxyClientCertFile: certFile, proxyClientKeyFile: keyFile } = this;
    const hasCertificate = certFile !== '' && keyFile !== '';
    const purpose = 'aggregator-proxy-cert';
    return {
      routeToEndpoints: this.enableAggregatorRouting,
      rejectRedirects: this.rejectForwardingRedirects,
      certificate: hasCertificate ? servingContent(certFile, keyFile, process, { purpose }) : undefined,
    };
  }
}
