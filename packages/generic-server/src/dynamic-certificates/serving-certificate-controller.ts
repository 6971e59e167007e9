import { repeat } from '@apiserver/apimachinery/clock';
import { parseCertificateBundle } from '@apiserver/apimachinery/x509';
import { describeCertificate } from '@apiserver/authentication';
import type { TlsMaterial } from '../serving/tls/tls-material.js';
import { type AuthoritySource, bundleOf } from './authority-source.js';
import { type FollowingProcess, runCertificateQueue, WORK_ITEM } from './dynamic-files.js';

const NAME = 'DynamicServingCertificateController';
const CHECK_INTERVAL_MS = 60_000;

/** A certificate and its key, which may change while the server runs. */
interface CertificateSource {
  readonly name: string;
  /** Certificate and key, PEM. */
  readonly contents: readonly string[];
  onChange(listener: () => void): void;
  /** Follows changes until `signal` aborts. */
  follow(signal: AbortSignal): void;
}

/** Certificates for clients that ask for certain names. */
export interface NamedCertificateSource {
  readonly files: CertificateSource;
  readonly names: readonly string[];
}

/** Certificates and authorities of a server. */
export interface ServingCertificateSources {
  /** Undefined for a pair that never changes. */
  readonly serving?: CertificateSource;
  readonly named?: readonly NamedCertificateSource[];
  readonly authorities: readonly AuthoritySource[];
  /** The material of the present contents. */
  readonly material: () => TlsMaterial;
}

/**
 * Hands new certificates and authorities to the listener. Contents that it refuses are tried again with growing pauses.
 * Upstream: k8s.io/apiserver/pkg/server/dynamiccertificates.DynamicServingCertificateController
 */
export class ServingCertificateController {
  readonly #sources: ServingCertificateSources;
  readonly #process: FollowingProcess;
  /** The material that the listener has, as JSON. */
  #served: string;

  constructor(sources: ServingCertificateSources, process: FollowingProcess) {
    this.#sources = sources;
    this.#process = process;
    this.#served = JSON.stringify(sources.material());
  }

  /** Calls `changed` with the material for new connections, until `signal` aborts. */
  follow(changed: (tls: TlsMaterial) => void, signal: AbortSignal): void {
    const { logger, clock } = this.#process;
    logger.info(`Starting ${NAME}`);
    signal.addEventListener('abort', () => logger.info(`Shutting down ${NAME}`), { once: true });
    this.#logCertificates();
    const queue = runCertificateQueue(NAME, this.#process, signal, () => this.#sync(changed));
    const { serving, named = [], authorities } = this.#sources;
    const sources = [...authorities, ...(serving ? [serving] : []), ...named.map(({ files }) => files)];
    for (const source of sources) {
      source.onChange(() => queue.add(WORK_ITEM));
      source.follow(signal);
    }
    queue.add(WORK_ITEM);
    repeat(clock, CHECK_INTERVAL_MS, () => queue.add(WORK_ITEM), signal);
  }

  #sync(changed: (tls: TlsMaterial) => void): void {
    const tls = this.#sources.material();
    const text = JSON.stringify(tls);
    if (text === this.#served) return;
    this.#logCertificates();
    changed(tls);
    this.#served = text;
  }

  #logCertificates(): void {
    const log = this.#process.logger.v(2);
    if (log === undefined) return;
    const { serving, named = [], authorities } = this.#sources;
    const detail = (pem: string) => this.#details(pem)[0];
    const authorityNames = authorities.map(({ name }) => name).join(',');
    for (const [index, certDetail] of authorities.flatMap((source) => this.#details(bundleOf(source))).entries()) {
      log.info('Loaded client CA', { index, certName: authorityNames, certDetail });
    }
    if (serving !== undefined) {
      log.info('Loaded serving cert', { certName: serving.name, certDetail: detail(serving.contents[0] ?? '') });
    }
    for (const [index, { files }] of [...named.entries()].reverse()) {
      log.info('Loaded SNI cert', { index, certName: files.name, certDetail: detail(files.contents[0] ?? '') });
    }
  }

  #details(pem: string): readonly string[] {
    const now = this.#process.clock.now();
    return parseCertificateBundle(pem).map((certificate) => describeCertificate(certificate, now));
  }
}
