import { isIP } from 'node:net';
import { join } from 'node:path';
import {
  ensureStandAloneIdentity,
  newStandAloneIdentity,
  type ServingNames,
  type StandAloneIdentity,
} from '@apiserver/bootstrap-pki';
import type { GenericServerConfig } from '../config/generic-server-config.js';
import { type AuthoritySource, bundleOf } from '../dynamic-certificates/authority-source.js';
import { ServingCertificateController } from '../dynamic-certificates/serving-certificate-controller.js';
import { SecureServingOptions } from '../options/secure-serving-options.js';
import type { TlsMaterial } from '../serving/tls/tls-material.js';
import type { ServingSettings } from './api-server-options.js';

/** Upstream: the default of --cert-dir of extension servers */
const DEFAULT_CERTIFICATE_DIRECTORY = 'apiserver.local.config/certificates';

/** Generated certificates of a server. */
export interface MadeIdentity {
  readonly identity: StandAloneIdentity;
  /** The folder of the certificates; undefined: they are not stored. */
  readonly directory: string | undefined;
}

/** Generates the certificates of a server, or reads them from their folder. Rejects with a StartupError. */
export async function makeIdentity(
  serving: ServingSettings | SecureServingOptions,
  { clock, logger }: Pick<GenericServerConfig, 'clock' | 'logger'>,
): Promise<MadeIdentity> {
  const now = new Date(clock.now());
  const directory = directoryOf(serving);
  const names = namesOf(serving);
  if (directory === undefined) return { identity: newStandAloneIdentity(names, now), directory };
  return { identity: await ensureStandAloneIdentity(directory, names, { now, logger }), directory };
}

/** Without files for the pair, options keep a generated one in a folder, as upstream. */
function directoryOf(serving: ServingSettings | SecureServingOptions): string | undefined {
  if (!(serving instanceof SecureServingOptions)) return serving.certificateDirectory;
  return serving.certFile === '' ? serving.certDirectory || DEFAULT_CERTIFICATE_DIRECTORY : undefined;
}

function namesOf(serving: ServingSettings | SecureServingOptions): ServingNames {
  const given =
    serving instanceof SecureServingOptions ? [serving.bindAddress] : [serving.address ?? '', ...(serving.names ?? [])];
  const all = [...new Set(['localhost', '127.0.0.1', '::1', ...given])];
  return {
    dnsNames: all.filter((name) => name !== '' && isIP(name) === 0),
    addresses: all.filter((name) => isIP(name) !== 0 && name !== '0.0.0.0' && name !== '::'),
  };
}

/** Writes port and certificate into the config, and returns the certificate. */
export function applyServing(
  serving: ServingSettings | SecureServingOptions,
  config: GenericServerConfig,
  { identity, directory }: MadeIdentity,
  authorities: readonly AuthoritySource[],
): TlsMaterial {
  if (serving instanceof SecureServingOptions) {
    const generated = directory && {
      certificateFile: join(directory, 'apiserver.crt'),
      keyFile: join(directory, 'apiserver.key'),
    };
    return serving.applyTo(config, { authorities, ...(generated && { generated, isGeneratedOwn: true }) });
  }
  const clientCA = () => [serving.clientCA ?? '', ...authorities.map(bundleOf)].join('\n').trim();
  const pair = serving.certificate ?? identity.serving;
  const current = (): TlsMaterial => ({ ...pair, clientCA: clientCA(), minVersion: 'TLSv1.2', cipherSuites: [] });
  const tls = current();
  config.secureServing = {
    address: serving.address ?? '127.0.0.1',
    port: serving.port ?? 0,
    tls,
    http2MaxStreamsPerConnection: 0,
    disableHttp2: false,
    followTls: (changed, signal) =>
      new ServingCertificateController({ authorities, material: current }, config).follow(changed, signal),
  };
  return tls;
}
