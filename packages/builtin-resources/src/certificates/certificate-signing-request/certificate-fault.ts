import { quote } from '@apiserver/apimachinery/text';
import { readDerElements, readPemBlock } from '@apiserver/apimachinery/x509';
import { parseCertificate } from '../parse-certificate.js';

/**
 * The fault of an issued certificate, given as base64 of PEM; undefined if it is valid or absent. Each certificate of a
 * chain is a step.
 * Upstream: validateCertificate of pkg/apis/certificates/validation/validation.go
 */
export function* certificateFault(certificate: string | undefined): Generator<void, string | undefined> {
  if (!certificate) return undefined;
  let rest = Buffer.from(certificate, 'base64').toString('latin1');
  for (let blocks = 0; ; blocks++) {
    const block = readPemBlock(rest);
    if (block === undefined) return blocks === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
    if (block.type !== 'CERTIFICATE') {
      return `only CERTIFICATE PEM blocks are allowed, found ${quote(block.type)}`;
    }
    if (Object.keys(block.headers).length > 0) return 'no PEM block headers are permitted';
    if (block.bytes.length === 0) return 'found CERTIFICATE PEM block containing 0 certificates';
    if (!(yield* areCertificates(block.bytes))) return 'x509: malformed certificate';
    rest = block.rest;
  }
}

/** One after another. Upstream: ParseCertificates of crypto/x509 */
function* areCertificates(bytes: Uint8Array): Generator<void, boolean> {
  for (const element of elementsOf(bytes)) {
    if (parseCertificate(element) === undefined) return false;
    yield;
  }
  return true;
}

/** An empty one, which is no certificate, if the bytes are malformed. */
function elementsOf(bytes: Uint8Array): readonly Uint8Array[] {
  try {
    return readDerElements(bytes).map((element) => element.bytes);
  } catch {
    return [new Uint8Array()];
  }
}
