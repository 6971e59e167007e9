etcd --data-dir=etcd &

kube-apiserver --data-dir=one --secure-port=6443 --etcd-servers=http://127.0.0.1:2379 \
  --advertise-address=192.0.2.1 --authorization-mode=RBAC --controllers='*' &
until [ -f one/admin.kubeconfig ]; do sleep 0.1; done

mkdir -m 700 -p two/pki
cp one/pki/ca.* one/pki/sa.* two/pki/
kube-apiserver --data-dir=two --secure-port=6444 --etcd-servers=http://127.0.0.1:2379 \
  --advertise-address=192.0.2.2 --authorization-mode=RBAC --controllers='*' &
until [ -f two/admin.kubeconfig ]; do sleep 0.1; done
