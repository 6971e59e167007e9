// Lets functions of policies.go be declared without bodies.
