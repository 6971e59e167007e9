process.stderr.write('kube-apiserver: the binary is not built yet\n');
process.exitCode = 1;
