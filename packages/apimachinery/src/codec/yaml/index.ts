export { encodeYaml, encodeYamlSteps } from './encode-yaml.js';
export { isPlainJsonSteps } from './plain-json.js';
export {
  parseYaml,
  type YamlDocument,
  type YamlText,
  yamlToJson,
  yamlToJsonText,
} from './yaml-to-json.js';
