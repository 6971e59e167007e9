import io.fabric8.kubeapitest.KubeAPIServer;
import io.fabric8.kubeapitest.KubeAPIServerConfigBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

/**
 * Takes the folder of kube-api-test. Starts two servers with its executables, one after the other. Prints the namespaces
 * of each, one a line, after it has created one.
 */
public class StartServers {
  public static void main(String[] args) {
    for (String name : new String[] {"first", "second"}) {
      KubeAPIServer server = new KubeAPIServer(KubeAPIServerConfigBuilder.anAPIServerConfig()
          .withTestDir(args[0])
          .withOfflineMode(true)
          .withWaitForEtcdHealthCheckOnStartup(true)
          .withApiServerFlag("--runtime-config", "api/all=true")
          .build());
      server.start();
      Config config = Config.fromKubeconfig(server.getKubeConfigYaml());
      try (KubernetesClient client = new KubernetesClientBuilder().withConfig(config).build()) {
        client.resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build()).create();
        client.namespaces().list().getItems().forEach(one -> System.out.println(one.getMetadata().getName()));
      } finally {
        server.stop();
      }
    }
    System.exit(0);
  }
}
