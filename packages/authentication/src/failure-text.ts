/** The message of any thrown value. */
export function failureText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
