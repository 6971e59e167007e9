export { encodeYaml, encodeYamlSteps } from './encode-yaml.js';
export {
  isPlainJsonSteps,
  parseYaml,
  type YamlDocument,
  type YamlText,
  yamlToJson,
  yamlToJsonText,
} from './yaml-to-json.js';
