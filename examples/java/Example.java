import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;

/** Takes the path of kube-apiserver, and prints what a test with JUnit would assert. */
public class Example {
  public static void main(String[] args) throws Exception {
    Path folder = Files.createTempDirectory("example");
    Process process = new ProcessBuilder(args[0], "--data-dir=" + folder, "--bind-address=127.0.0.1",
        "--secure-port=0", "--test-endpoint=127.0.0.1:0")
        .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    try {
      Powers server = Powers.of(folder.resolve("test-endpoint.json"), process);
      Config config = Config.fromKubeconfig(folder.resolve("admin.kubeconfig").toFile());
      try (KubernetesClient client = new KubernetesClientBuilder().withConfig(config).build()) {
        beginsAsPrepared(server, client);
        seesAConflict(server, client);
      }
    } finally {
      process.destroy();
      process.waitFor();
      remove(folder);
    }
  }

  static void remove(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    }
  }

  static void beginsAsPrepared(Powers server, KubernetesClient client) throws Exception {
    server.call("POST", "/snapshots", "{\"name\":\"prepared\"}");
    create(client);
    server.call("POST", "/snapshots/prepared/restore", "");
    System.out.println("restored: " + client.configMaps().inNamespace("default").withName("settings").get());
  }

  static void seesAConflict(Powers server, KubernetesClient client) throws Exception {
    ConfigMap settings = create(client);
    server.call("POST", "/faults",
        "{\"verb\":\"update\",\"resource\":\"configmaps\",\"times\":1,\"response\":{\"reason\":\"Conflict\"}}");
    try {
      client.resource(settings).update();
    } catch (KubernetesClientException refused) {
      System.out.println("refused: " + refused.getCode() + " " + refused.getStatus().getReason());
    }
    System.out.println("updated: " + client.resource(settings).update().getMetadata().getName());
  }

  static ConfigMap create(KubernetesClient client) {
    return client.resource(new ConfigMapBuilder()
        .withNewMetadata().withName("settings").withNamespace("default").endMetadata().build()).create();
  }

  /** Calls the test endpoint. */
  record Powers(String url, String token) {
    /** Waits for the file that the server writes when it is ready. */
    static Powers of(Path file, Process process) throws Exception {
      while (!Files.exists(file)) {
        if (!process.isAlive()) throw new IllegalStateException("the server has ended");
        Thread.sleep(50);
      }
      Map<?, ?> endpoint = Serialization.unmarshal(Files.readString(file), Map.class);
      return new Powers((String) endpoint.get("url"), (String) endpoint.get("token"));
    }

    String call(String method, String path, String body) throws IOException, InterruptedException {
      HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
          .header("Authorization", "Bearer " + token).method(method, BodyPublishers.ofString(body)).build();
      var response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
      if (response.statusCode() >= 300) throw new IllegalStateException(response.body());
      return response.body();
    }
  }
}
