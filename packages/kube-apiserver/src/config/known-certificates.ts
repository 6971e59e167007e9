import type { ParsedCertificate } from '@apiserver/apimachinery/x509';
import { type CertificateReader, certificateReader } from '@apiserver/generic-server';
import { KnownTexts } from './known-texts.js';

/** Reads the newest texts once. */
export class KnownCertificates implements CertificateReader {
  readonly #bundles = new KnownTexts<readonly ParsedCertificate[]>();
  readonly #pairs = new KnownTexts<string>();

  bundle(pem: string): readonly ParsedCertificate[] {
    return this.#bundles.of(pem, certificateReader.bundle);
  }

  keyPairFault(certificate: string, key: string): string | undefined {
    const fault = () => certificateReader.keyPairFault(certificate, key) ?? '';
    return this.#pairs.of(JSON.stringify([certificate, key]), fault) || undefined;
  }
}
