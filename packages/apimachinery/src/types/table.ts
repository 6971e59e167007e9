/** One column. `type` is an OpenAPI type; priority 0 is always shown, above only in wide output. */
export interface TableColumnDefinition {
  name: string;
  type: string;
  format: string;
  description: string;
  priority: number;
}
