/** The base64 of a PEM text with one block: the DER that it wraps. */
export function pemContent(pem: string): string {
  return pem.replaceAll(/-----.*-----|\n/g, '');
}
