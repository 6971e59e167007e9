import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.File;

/** Takes a kubeconfig; prints the namespaces, one a line, then a value that it wrote and read back. */
public class UseServer {
  public static void main(String[] args) {
    Config config = Config.fromKubeconfig(new File(args[0]));
    try (KubernetesClient client = new KubernetesClientBuilder().withConfig(config).build()) {
      client.namespaces().list().getItems().forEach(namespace -> System.out.println(namespace.getMetadata().getName()));
      ConfigMap map = new ConfigMapBuilder()
          .withNewMetadata().withName("from-java").endMetadata()
          .addToData("language", "Java")
          .build();
      client.configMaps().inNamespace("default").resource(map).create();
      ConfigMap read = client.configMaps().inNamespace("default").withName("from-java").get();
      System.out.println(read.getData().get("language"));
    }
  }
}
