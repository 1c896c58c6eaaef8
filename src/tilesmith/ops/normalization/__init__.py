"""Along the last axis: softmax, layer_norm, rms_norm."""
